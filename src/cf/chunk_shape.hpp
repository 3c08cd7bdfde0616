// How records are cut into chunks. Depends on the global shape alone, never on the decomposition: the same
// run on other numbers of ranks or servers then gives the same file, byte for byte.
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

// `maps` (and `automatic`): one record a chunk, of about 1 MiB, whole along the fastest dims; small records
// share a chunk of about 64 KiB. `series`: smaller pieces, and as many records as make about 1 MiB, but no
// more than make `open_bytes` over the whole grid (one, where that is not enough), since all of them are held
// until the chunks are full.
ChunkShape choose_chunk(std::span<const std::int64_t> shape, std::size_t element_bytes,
                        settings::Access access, std::size_t open_bytes = SIZE_MAX);

// How many records the chunks of a compressed variable should have so that each commit, of so many records,
// fills them: what a commit finds partly filled is stored without compression first. As `chunk` has, where
// the chunks would become too small.
std::int64_t fill_by_commits(const ChunkShape& chunk, std::size_t element_bytes, double records_of_commit);

// One piece of at most about `target` bytes (twice that where it then is the whole): fastest dims whole, the
// first that does not fit cut into even parts, slower ones of length 1.
std::vector<std::int64_t> cut_shape(std::span<const std::int64_t> shape, std::size_t element_bytes,
                                    std::int64_t target);

// The same for what has no time dimension. Small ones are kept in one piece, outside of chunks: empty.
std::vector<std::int64_t> cut_static(std::span<const std::int64_t> shape, std::size_t element_bytes);

}  // namespace tailrace::cf
