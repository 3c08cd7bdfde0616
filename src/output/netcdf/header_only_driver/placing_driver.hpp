// A virtual file driver of HDF5 that keeps all metadata in memory and allocates the values of a variable at a
// given address. HDF5 chooses addresses itself and offers no other way to describe values that already exist.
#pragma once

#include <cstdint>
#include <optional>

#include "output/netcdf/hdf5.hpp"
#include "output/netcdf/metadata/overlay.hpp"

namespace tailrace::output::netcdf {

struct PlacedFile {
  std::uint64_t first_free = 0;  // metadata except the superblock are at this address and later ones
  std::optional<std::uint64_t>
      place{};                // the address of the next variable's values; reset when the variable is created
  std::uint64_t end = 0;      // of the allocated space
  bool drops_values = false;  // values that HDF5 writes are dropped: they are in their place already
  Overlay written{};
};

// `file` must outlive the identifier.
Id create_in(PlacedFile& file, hid_t creation_properties) TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
