#include "client/array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/error.hpp"

namespace tailrace::client {
namespace {

// From this size on, a copy bypasses the caches: in a cache it would displace the model's own data, and
// lines of the ring that the server has in its cache would be fetched first.
constexpr std::size_t streamed_bytes = std::size_t{16} << 10;
constexpr std::size_t line = 64;

#if defined(__SSE2__)
void copy_streaming(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t word = sizeof(__m128i);
  const std::size_t before = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
  std::memcpy(to, from, before);
  std::size_t done = before;
  for (; done + line <= bytes; done += line) {
    for (std::size_t i = done; i < done + line; i += word) {
      const __m128i value = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), value);
    }
  }
  std::memcpy(to + done, from + done, bytes - done);
}
// Call this before announcing the written data to another thread or process.
void end_streaming() { _mm_sfence(); }
#else
void copy_streaming(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void end_streaming() {}
#endif

void copy_run(bool streaming, std::byte* to, const std::byte* from, std::size_t bytes) {
  if (streaming)
    copy_streaming(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

// The number of last dimensions that are contiguous in memory.
std::size_t dense_dimensions(const Array& array) {
  std::size_t dense = 0;
  std::int64_t expected = 1;
  for (std::size_t d = array.shape.size(); d-- > 0; ++dense) {
    if (array.shape[d] != 1 && array.strides[d] != expected) break;
    expected *= array.shape[d];
  }
  return dense;
}

// Copies the elements of a row that is not contiguous, with a loop over elements of a known size.
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
  bool streaming;  // runs are whole cache lines, or so long that their ends do not matter

  std::byte* walk(std::size_t d, const std::byte* from, std::byte* to) const {
    if (d == outer) {
      copy_run(streaming, to, from, run_bytes);
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

std::string list_extents(std::span<const std::int64_t> extents, bool fastest_first) {
  if (fastest_first) return fmt::format("{}", fmt::join(extents.rbegin(), extents.rend(), ", "));
  return fmt::format("{}", fmt::join(extents, ", "));
}

void copy_dense(const Array& array, std::span<std::byte> target) {
  const std::size_t element = model::size_of(array.type);
  TAILRACE_ASSERT(target.size() == static_cast<std::size_t>(array.size()) * element,
                  "the slot fits the array");
  if (target.empty()) return;
  const bool large = target.size() >= streamed_bytes;
  if (array.strides.empty()) {
    copy_run(large, target.data(), static_cast<const std::byte*>(array.data), target.size());
  } else {
    const std::size_t dense = dense_dimensions(array);
    std::size_t run_bytes = dense == 0 && !array.shape.empty() ? 0 : element;
    for (std::size_t d = array.shape.size() - dense; d < array.shape.size(); ++d)
      run_bytes *= static_cast<std::size_t>(array.shape[d]);
    const bool streaming = large && (run_bytes % line == 0 || run_bytes >= 64 * line);
    const Copy copy{array, array.shape.size() - dense, run_bytes, static_cast<std::int64_t>(element),
                    streaming};
    copy.walk(0, static_cast<const std::byte*>(array.data), target.data());
  }
  if (large) end_streaming();
}

}  // namespace tailrace::client
