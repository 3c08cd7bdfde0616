// The burst buffer: a directory on a local disk of each node, where shards are written first (as in SCR,
// Moody et al., SC10). They are drained from there into the directory of the checkpoints, so that the model
// does not wait for the file system of the cluster.
//
// BUFFER contains the whole path of the checkpoints again, so that jobs with other checkpoints never
// conflict: BUFFER/scratch/run7/restart/atmosphere/step_000000001200/state.3.nc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// The place in a buffer of the shards of `checkpoints` (checkpoints_path).
std::string buffered_path(const std::string& buffer, const std::string& checkpoints);

// Tests that the buffer can be written: makes the directory and a file, and removes the file. `writer`: a
// name for it that no other process of this node uses. Throws Error(resource).
void try_buffer(env::FileSystem& files, const std::string& buffered, const std::string& writer);

// Removes what earlier jobs left: shards of other steps than this one, and of more servers than there are
// now. For any process of a job that holds the lock of the checkpoints. A shard that cannot be removed
// stays.
void clean_buffer(env::FileSystem& files, const std::string& buffered, std::int64_t step,
                  int servers) noexcept;

// Copies the shard from the buffer of this node into `checkpoint`, where it gets its name only when it is
// complete and on the device, and then removes it from the buffer, unless the checkpoint is a copy of the one
// for which it was buffered. False if it is in neither place, or if
// another process copies it. Throws Error(resource) that names the shard, which stays in the buffer then. May
// take long; `stops` ends it.
bool drain_shard(env::FileSystem& files, const Shard& shard, const std::string& checkpoint,
                 const std::function<bool()>& stops = {});
// Removes an obsolete shard from the buffer of this node; if it cannot be removed, it stays.
void drop_shard(env::FileSystem& files, const Shard& shard) noexcept;

// Removes unfinished copies that another process left in a checkpoint. REQUIRES: no process copies.
void remove_parts(env::FileSystem& files, const std::string& checkpoint);
// Describes where the shards wait that are not yet in the checkpoint's directory. Empty: all are there.
std::string describe_waiting(const env::FileSystem& files, const std::string& checkpoint,
                             const std::vector<Shard>& shards);

}  // namespace tailrace::checkpoint
