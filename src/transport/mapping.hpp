// A memory mapping, which is unmapped by the destructor.
#pragma once

#include <cstddef>
#include <utility>

namespace tailrace::transport {

class Mapping {
 public:
  // Zeroed memory of this process, with its pages allocated. Throws Error(resource).
  static Mapping anonymous(std::size_t bytes);
  enum class Pages { in_place, when_used };
  // The first `bytes` of an open file, shared with all processes that map it; its pages are mapped at once,
  // or when they are used. Throws Error(resource); `name` is for the message.
  static Mapping shared(int file, std::size_t bytes, const char* name, Pages pages);

  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping();
  // This process no longer needs a part of a mapping, in whole pages. They are returned to the system, at the
  // latest when other processes unmap them.
  static void let_go(std::byte* data, std::size_t bytes) noexcept;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  Mapping(std::byte* data, std::size_t size) : data_(data), size_(size) {}
  std::byte* data_;
  std::size_t size_;
};

}  // namespace tailrace::transport
