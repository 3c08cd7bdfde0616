// Sets that an earlier job left on nodes: with members in burst buffers, or drained but without a manifest.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/checkpoint_check.hpp"
#include "checkpoint/checkpoint_store.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// Of `sets` (sets_path), the oldest first.
std::vector<FoundCheckpoint> checkpoints_on_nodes(env::FileSystem& files, const std::string& checkpoints);

// Drains the members of a set that are in the burst buffer of this node; several processes may do so at once.
// While some process holds the sets. What could not be drained and why, with the path of the set.
std::vector<std::string> drain_what_is_here(env::FileSystem& files, const FoundCheckpoint& checkpoint);

// Makes the set count if all its members are in its directory. True if so. Throws Error(resource).
bool commit_if_whole(env::FileSystem& files, CheckpointStore& store, const FoundCheckpoint& checkpoint);

}  // namespace tailrace::checkpoint
