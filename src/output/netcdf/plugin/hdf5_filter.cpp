// The plugin with which HDF5 decodes the codec `lorenzo`; and a C function for readers of Zarr, which load it
// too. It links no HDF5, since a reader has its own: HDF5 takes and frees buffers with malloc and free.
#include <H5PLextern.h>

#include <cstdlib>

#include "codecs/lorenzo/chunk.hpp"
#include "codecs/lorenzo/filter_id.hpp"

#define TAILRACE_PLUGIN_EXPORT __attribute__((visibility("default")))

namespace {

namespace lorenzo = tailrace::codecs::lorenzo;

// 0: HDF5 reports that the filter failed.
std::size_t decode_buffer(std::size_t bytes, std::size_t* buffer_bytes, void** buffer) {
  const std::span<const std::byte> encoded(static_cast<const std::byte*>(*buffer), bytes);
  const auto header = lorenzo::read_header(encoded);
  if (!header || header->values == 0) return 0;
  const std::size_t size = header->bytes();
  auto* const values = static_cast<std::byte*>(std::malloc(size));
  if (values == nullptr) return 0;
  if (lorenzo::decode(*header, encoded, {values, size})) {
    std::free(values);
    return 0;
  }
  std::free(*buffer);
  *buffer = values;
  *buffer_bytes = size;
  return size;
}

extern "C" std::size_t tailrace_lorenzo_filter(unsigned flags, std::size_t, const unsigned*,
                                               std::size_t bytes, std::size_t* buffer_bytes, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;  // it does not know the shape, which encoding needs
  try {
    return decode_buffer(bytes, buffer_bytes, buffer);
  } catch (...) {
    return 0;
  }
}

const H5Z_class2_t filter_class = {
    H5Z_CLASS_T_VERS, lorenzo::filter_id,      0, 1, "Tailrace lorenzo (only decodes)", nullptr,
    nullptr,          &tailrace_lorenzo_filter};

}  // namespace

extern "C" {

TAILRACE_PLUGIN_EXPORT H5PL_type_t H5PLget_plugin_type() { return H5PL_TYPE_FILTER; }
TAILRACE_PLUGIN_EXPORT const void* H5PLget_plugin_info() { return &filter_class; }

// Decodes a chunk to exactly so many bytes; 0 if it is one of that size, -1 if not.
TAILRACE_PLUGIN_EXPORT int tailrace_lorenzo_decode(const void* encoded, std::size_t encoded_bytes,
                                                   void* values, std::size_t bytes) {
  try {
    const std::span<const std::byte> chunk(static_cast<const std::byte*>(encoded), encoded_bytes);
    const auto header = lorenzo::read_header(chunk);
    if (!header || header->bytes() != bytes) return -1;
    return lorenzo::decode(*header, chunk, {static_cast<std::byte*>(values), bytes}) ? -1 : 0;
  } catch (...) {
    return -1;
  }
}

}  // extern "C"
