// The shape of chunks. It depends only on the global shape, never on the decomposition, so that a run on
// other numbers of ranks or servers gives the same file byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "settings/configuration.hpp"

namespace tailrace::cf {

struct ChunkShape {
  std::int64_t records = 1;
  std::vector<std::int64_t> cells;  // of one record, as many as the shape has dims
};

// `maps` (and `automatic`): chunks of one record and about 1 MiB, whole along the fastest dims; small records
// share a chunk of about 64 KiB. `series`: smaller pieces with as many records as make about 1 MiB, but no
// more than `open_bytes` over the whole grid (at least one record), since all records are held in memory
// until their chunks are full.
ChunkShape choose_chunk(std::span<const std::int64_t> shape, std::size_t element_bytes,
                        settings::Access access, std::size_t open_bytes = SIZE_MAX);

// The chunks that a compressed variable should have so that each commit, of so many records, fills them:
// chunks that several commits fill are written twice, first without compression. `chunk`: those that were
// chosen without regard to commits; they stay if others would be tiny, or if the records of a commit have no
// suitable divisor.
ChunkShape fill_by_commits(const ChunkShape& chunk, std::span<const std::int64_t> shape,
                           std::size_t element_bytes, double records_of_commit);

// One piece of about `target` bytes at most (twice that if the piece is then the whole): the fastest dims are
// whole, the first that does not fit is cut into even parts, and slower dims have length 1.
std::vector<std::int64_t> cut_shape(std::span<const std::int64_t> shape, std::size_t element_bytes,
                                    std::int64_t target);

// A piece along the cells of HEALPix, of so many cells at most: a power of four, so that a chunk holds the
// cells of one coarser cell in the nested order, and readers of pyramids read whole chunks.
std::int64_t healpix_piece(std::int64_t cells);

// The same for variables without a time dimension. Empty for small ones, which are stored in one piece
// without chunks.
std::vector<std::int64_t> cut_static(std::span<const std::int64_t> shape, std::size_t element_bytes);

}  // namespace tailrace::cf
