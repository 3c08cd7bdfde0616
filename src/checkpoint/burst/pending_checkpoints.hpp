// Checkpoints that an earlier job left on nodes: with shards in burst buffers, or drained but without a
// manifest.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/checkpoint_check.hpp"
#include "checkpoint/checkpoint_store.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// In `checkpoints` (checkpoints_path), oldest first.
std::vector<FoundCheckpoint> checkpoints_on_nodes(env::FileSystem& files, const std::string& checkpoints);

// Drains the shards of a checkpoint that are in the burst buffer of this node; several processes may do so at
// once. REQUIRES: some process of the job holds the lock of the checkpoints. Returns what could not be
// drained and why, with the path of the checkpoint.
std::vector<std::string> drain_what_is_here(env::FileSystem& files, const FoundCheckpoint& checkpoint);

// Commits the checkpoint if all its shards are in its directory; returns whether it did. Throws
// Error(resource).
bool commit_if_whole(env::FileSystem& files, CheckpointStore& store, const FoundCheckpoint& checkpoint);

}  // namespace tailrace::checkpoint
