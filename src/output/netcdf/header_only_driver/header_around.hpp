// A NetCDF-4 file whose values were written first: what has to be written besides them.
#pragma once

#include <cstdint>
#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/metadata/overlay.hpp"

namespace tailrace::output::netcdf {

// Values may lie anywhere from here on; what is before belongs to the header.
inline constexpr std::uint64_t first_place_of_values = 4096;

struct HeaderAround {
  Overlay pieces;            // all that the file holds besides values
  std::uint64_t length = 0;  // of the file
};

// `spec` has variables of fixed size without chunks; the values of variable i lie at places[i], in C order
// and little-endian. All of them end before `end`. So values of any size are written as they come, once and
// without HDF5. Throws Error(resource) for what HDF5 refuses. Takes the Hdf5Lock.
HeaderAround make_header_around(const DatasetSpec& spec, const std::vector<std::uint64_t>& places,
                                std::uint64_t end);

}  // namespace tailrace::output::netcdf
