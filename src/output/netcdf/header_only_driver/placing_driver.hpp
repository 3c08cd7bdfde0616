// A file driver of HDF5 that keeps metadata in memory and puts the values of a variable where it is told.
#pragma once

#include <cstdint>
#include <optional>

#include "output/netcdf/hdf5.hpp"
#include "output/netcdf/metadata/overlay.hpp"

namespace tailrace::output::netcdf {

struct PlacedFile {
  std::uint64_t first_free = 0;          // metadata lie here and behind, but for the superblock
  std::optional<std::uint64_t> place{};  // of the next variable's values; used up by its creation
  std::uint64_t end = 0;                 // so far
  Overlay written{};
};

// `file` must outlive the identifier.
Id create_in(PlacedFile& file, hid_t creation_properties) TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
