// Reads the index of a growing variable's chunks: an extensible array, as in the file format of HDF5 1.10
// (section "The Extensible Array Index" of its specification). HDF5 1.10 itself offers only a search that
// walks the whole index for each chunk.
#pragma once

#include <cstdint>
#include <functional>

#include "output/netcdf/metadata/object_header.hpp"

namespace tailrace::output::netcdf {

struct ArrayElement {
  std::uint64_t number = 0;   // of the chunk, in C order over the chunks of the variable
  std::uint64_t address = 0;  // in the file
  std::uint64_t size = 0;     // in bytes; 0 in an index of chunks without filters
  std::uint32_t skipped = 0;  // the filter mask
};

// Calls `visit` for each chunk that has a place in the file, in ascending order. Throws Error(resource) if
// there is no valid index at the address.
void for_each_element(const ReadBytes& read, std::uint64_t address,
                      const std::function<void(const ArrayElement&)>& visit);

}  // namespace tailrace::output::netcdf
