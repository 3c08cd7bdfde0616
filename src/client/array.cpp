#include "client/array.hpp"

#include <cstring>

#include "base/error.hpp"

namespace tailrace::client {
namespace {

// How many of the last dimensions lie densely one behind the other.
std::size_t dense_dimensions(const Array& array) {
  std::size_t dense = 0;
  std::int64_t expected = 1;
  for (std::size_t d = array.shape.size(); d-- > 0; ++dense) {
    if (array.shape[d] != 1 && array.strides[d] != expected) break;
    expected *= array.shape[d];
  }
  return dense;
}

// Elements of a row that do not lie side by side: copied by a loop over elements of a known size.
template <class Element>
std::byte* gather(const std::byte* from, std::int64_t count, std::int64_t stride, std::byte* to) {
  for (std::int64_t i = 0; i < count; ++i, to += sizeof(Element))
    std::memcpy(to, from + i * stride * static_cast<std::int64_t>(sizeof(Element)), sizeof(Element));
  return to;
}

struct Copy {
  const Array& array;
  std::size_t outer;      // dimensions that are walked
  std::size_t run_bytes;  // of the dense rest; 0: the last dimension is strided
  std::int64_t element;

  std::byte* walk(std::size_t d, const std::byte* from, std::byte* to) const {
    if (d == outer) {
      std::memcpy(to, from, run_bytes);
      return to + run_bytes;
    }
    if (run_bytes == 0 && d + 1 == array.shape.size())
      return element == 4 ? gather<std::uint32_t>(from, array.shape[d], array.strides[d], to)
                          : gather<std::uint64_t>(from, array.shape[d], array.strides[d], to);
    for (std::int64_t i = 0; i < array.shape[d]; ++i)
      to = walk(d + 1, from + i * array.strides[d] * element, to);
    return to;
  }
};

}  // namespace

std::int64_t Array::size() const {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

void copy_dense(const Array& array, std::span<std::byte> target) {
  const std::size_t element = model::size_of(array.type);
  TAILRACE_ASSERT(target.size() == static_cast<std::size_t>(array.size()) * element,
                  "the slot fits the array");
  if (target.empty()) return;
  if (array.strides.empty()) {
    std::memcpy(target.data(), array.data, target.size());
    return;
  }
  const std::size_t dense = dense_dimensions(array);
  std::size_t run_bytes = dense == 0 && !array.shape.empty() ? 0 : element;
  for (std::size_t d = array.shape.size() - dense; d < array.shape.size(); ++d)
    run_bytes *= static_cast<std::size_t>(array.shape[d]);
  const Copy copy{array, array.shape.size() - dense, run_bytes, static_cast<std::int64_t>(element)};
  copy.walk(0, static_cast<const std::byte*>(array.data), target.data());
}

}  // namespace tailrace::client
