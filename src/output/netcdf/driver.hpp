// HDF5's way to our AtomicFile: a virtual file driver.
#pragma once

#include "output/netcdf/atomic_file.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// What HDF5 may keep of a file's metadata. By its own default it would be 32 MiB.
inline constexpr std::size_t cache_bytes = std::size_t{2} << 20;

// Both want AtomicFile::begin() to have been called. What HDF5 writes is collected there, which cannot fail,
// so that closing always succeeds. `file` must outlive the identifier.
Id create_in(AtomicFile& file, hid_t creation_properties) TAILRACE_REQUIRES(hdf5_mutex);
Id open_in(AtomicFile& file) TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
