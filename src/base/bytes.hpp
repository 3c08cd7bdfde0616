// Values to bytes and back, for messages between ranks of one job (native byte order, no padding).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace tailrace::base {

// Repeats an element's bytes until the target is full; a remainder gets the element's beginning.
void fill_with(std::span<const std::byte> element, std::span<std::byte> target);

// FNV-1a: enough to detect a difference between bytes that should be equal. `before`: the digest of the bytes
// in front of these.
inline constexpr std::uint64_t empty_digest = 14695981039346656037ull;
std::uint64_t digest(std::span<const std::byte> bytes, std::uint64_t before = empty_digest);

class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { put_bytes(std::as_bytes(std::span<const T, 1>(&value, 1))); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put_all(std::span<const T> values) {
    put(static_cast<std::int64_t>(values.size()));
    put_bytes(std::as_bytes(values));
  }
  void put_text(std::string_view text) { put_all(std::span<const char>(text.data(), text.size())); }
  void put_bytes(std::span<const std::byte> bytes);  // not inline: g++ 12 would give a false warning
  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads what ByteWriter wrote, in the same order. Reading past the end throws Error(internal).
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    if constexpr (std::is_same_v<T, bool>) {
      const auto byte = get<unsigned char>();
      TAILRACE_ASSERT(byte <= 1, "a flag in a message is neither 0 nor 1");
      return byte != 0;
    } else {
      T value;
      std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
      return value;
    }
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> get_all() {
    const auto count = static_cast<std::size_t>(get<std::int64_t>());
    TAILRACE_ASSERT(count <= rest_.size() / sizeof(T), "the message is truncated");
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), take(count * sizeof(T)).data(), count * sizeof(T));
    return values;
  }
  std::string get_text() {
    const std::vector<char> text = get_all<char>();
    return {text.begin(), text.end()};
  }
  std::span<const std::byte> take(std::size_t count) {
    TAILRACE_ASSERT(count <= rest_.size(), "the message is truncated");
    const auto head = rest_.first(count);
    rest_ = rest_.subspan(count);
    return head;
  }
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace tailrace::base
