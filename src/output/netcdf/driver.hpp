// A virtual file driver of HDF5 (H5FD) that reads and writes an AtomicFile.
#pragma once

#include "output/netcdf/atomic_file.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// The limit of HDF5's metadata cache for a file. HDF5's default is 32 MiB.
inline constexpr std::size_t cache_bytes = std::size_t{2} << 20;

// Both require that AtomicFile::begin() was called. The file buffers what HDF5 writes, which cannot fail, so
// that closing the identifier always succeeds. `file` must outlive the identifier.
Id create_in(AtomicFile& file, hid_t creation_properties) TAILRACE_REQUIRES(hdf5_mutex);
Id open_in(AtomicFile& file) TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
