// Chunk indices for chunks that are in the file already.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "output/netcdf/metadata/overlay.hpp"
#include "output/netcdf/repack/stored.hpp"

namespace tailrace::output::netcdf {

// A variable as it will be stored.
struct RepackedVariable {
  const StoredVariable* variable = nullptr;
  std::vector<std::int64_t> chunk;  // its shape
  std::vector<StoredChunk> chunks;
};

struct NewIndices {
  Overlay
      pieces;  // of a whole HDF5 file without values: the superblock at address 0, the rest from `begin` on
  std::uint64_t end = 0;       // of the pieces
  std::vector<Bytes> layouts;  // the data of the layout message of each variable
};

// HDF5 itself makes the indices, in a file in memory whose metadata begin at `begin`. Takes the Hdf5Lock.
// The same variables give the same bytes. Throws Error(resource).
NewIndices make_indices(std::span<const RepackedVariable> variables, std::uint64_t begin)
    TAILRACE_EXCLUDES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
