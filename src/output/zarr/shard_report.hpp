// Inspects the shards of a store: how many there are, and whether readers find their chunks.
#pragma once

#include <string>
#include <vector>

#include "output/zarr/metadata.hpp"
#include "output/zarr/store.hpp"

namespace tailrace::output::zarr {

struct ShardReport {
  std::string words;                 // a line for each variable with shards, "\n    theta: ..."
  std::vector<std::string> damaged;  // "theta/c/3/0: the index ...", of shards whose index cannot be read
};

// Reads the index of each shard that has a record in the metadata. Throws as chunk_in() for the metadata.
ShardReport look_at_shards(const Store& store, const Json& group);

}  // namespace tailrace::output::zarr
