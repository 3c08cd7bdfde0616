// Shapes of shards, the files with several chunks (`sharding_indexed` of the Zarr v3 specification).
//
// A shard is a box of whole chunks. Its shape depends on the configuration and the grid alone, so that a run
// on other numbers of ranks or servers makes the same shards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "output/dataset.hpp"

namespace tailrace::output::zarr {

// The shape of the variable's shards in cells, a multiple of its chunk in each dim; empty: each chunk is a
// file. Along the other dims than the records, a shard holds as many chunks as its size allows. Along the
// records it holds those of a commit, where these are as many each time, so that a commit writes whole
// shards. Chunks that several commits fill are not sharded unless the user asks for it: records are added to
// them in place, which the index of a shard does not allow.
std::vector<std::int64_t> shard_of(const DatasetSpec& spec, const VariableSpec& variable);

// How many chunks a shard holds.
std::size_t chunks_in(const std::vector<std::int64_t>& shard, const std::vector<std::int64_t>& chunk);
// The place of a chunk in the index of its shard. `offset`: its corner in the variable.
std::size_t number_in_shard(const std::vector<std::int64_t>& offset, const std::vector<std::int64_t>& shard,
                            const std::vector<std::int64_t>& chunk);
// The inverse: the corner of a chunk, relative to that of its shard.
std::vector<std::int64_t> corner_in_shard(std::size_t number, const std::vector<std::int64_t>& shard,
                                          const std::vector<std::int64_t>& chunk);

}  // namespace tailrace::output::zarr
