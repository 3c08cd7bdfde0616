// The header of a NetCDF-4 file whose values were written first, and without HDF5.
#pragma once

#include <cstdint>
#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/metadata/overlay.hpp"

namespace tailrace::output::netcdf {

// Values may be at any address from here on; the bytes before are reserved for the header.
inline constexpr std::uint64_t first_place_of_values = 4096;

struct HeaderAround {
  Overlay pieces;            // all bytes of the file except values
  std::uint64_t length = 0;  // of the file
};

// `spec` has variables of fixed size without chunks. The values of variable i are at address places[i], in C
// order and little-endian; all end before `end`. A shard of a checkpoint is written this way: its arrays of
// any size are written in the order in which they arrive, once and without HDF5's lock, and the header is
// added at the end. Throws Error(resource) if HDF5 fails. Takes the Hdf5Lock.
HeaderAround make_header_around(const DatasetSpec& spec, const std::vector<std::uint64_t>& places,
                                std::uint64_t end);

}  // namespace tailrace::output::netcdf
