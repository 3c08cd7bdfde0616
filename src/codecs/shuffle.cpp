#include "codecs/shuffle.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::codecs {
namespace {

// The size as a constant lets the compiler turn the inner loop into vector moves.
template <std::size_t size>
void spread(const std::byte* from, std::byte* to, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i)
    for (std::size_t b = 0; b < size; ++b) to[b * elements + i] = from[i * size + b];
}
template <std::size_t size>
void join(const std::byte* from, std::byte* to, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i)
    for (std::size_t b = 0; b < size; ++b) to[i * size + b] = from[b * elements + i];
}

void copy_tail(std::span<const std::byte> from, std::vector<std::byte>& to, std::size_t element_size) {
  const auto tail = from.last(from.size() % element_size);
  std::copy(tail.begin(), tail.end(), to.end() - static_cast<std::ptrdiff_t>(tail.size()));
}

}  // namespace

std::vector<std::byte> shuffle(std::span<const std::byte> bytes, std::size_t element_size) {
  TAILRACE_ASSERT(element_size > 0, "elements have a size");
  std::vector<std::byte> out(bytes.size());
  const std::size_t elements = bytes.size() / element_size;
  if (element_size == 4) {
    spread<4>(bytes.data(), out.data(), elements);
  } else if (element_size == 8) {
    spread<8>(bytes.data(), out.data(), elements);
  } else {
    for (std::size_t i = 0; i < elements; ++i)
      for (std::size_t b = 0; b < element_size; ++b) out[b * elements + i] = bytes[i * element_size + b];
  }
  copy_tail(bytes, out, element_size);
  return out;
}

std::vector<std::byte> unshuffle(std::span<const std::byte> bytes, std::size_t element_size) {
  TAILRACE_ASSERT(element_size > 0, "elements have a size");
  std::vector<std::byte> out(bytes.size());
  const std::size_t elements = bytes.size() / element_size;
  if (element_size == 4) {
    join<4>(bytes.data(), out.data(), elements);
  } else if (element_size == 8) {
    join<8>(bytes.data(), out.data(), elements);
  } else {
    for (std::size_t i = 0; i < elements; ++i)
      for (std::size_t b = 0; b < element_size; ++b) out[i * element_size + b] = bytes[b * elements + i];
  }
  copy_tail(bytes, out, element_size);
  return out;
}

}  // namespace tailrace::codecs
