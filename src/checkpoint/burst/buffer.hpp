// The burst buffer: a directory of each node, on a disk of its own, where members of sets are written first.
// They are drained from there into the directory of the sets.
//
// Below BUFFER lies the whole path of the sets again, so that jobs with other sets never meet there:
// BUFFER/scratch/run7/restart/atmosphere/step_000000001200/state.3.nc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// Where the members of `sets` (sets_path) lie in a buffer.
std::string buffered_path(const std::string& buffer, const std::string& checkpoints);

// Makes the directory and a file there, and removes the file. `writer`: a name for it that no other process
// of this node uses. Throws Error(resource).
void try_buffer(env::FileSystem& files, const std::string& buffered, const std::string& writer);

// Removes what earlier jobs left: of other steps than this one, and of more servers than there are now. For a
// job that holds the sets; any of its processes. What cannot be removed stays.
void clean_buffer(env::FileSystem& files, const std::string& buffered, std::int64_t step,
                  int servers) noexcept;

// Copies the member from the buffer of this node into `set`, where it has its name only when it is whole and
// on the device, and then removes what is in the buffer. False where it is neither there nor here, or where
// another process copies it. Throws Error(resource) that names the member; it stays in the buffer then. May
// take long: `stops` ends it.
bool drain_shard(env::FileSystem& files, const Shard& shard, const std::string& checkpoint,
                 const std::function<bool()>& stops = {});
// Removes a member from the buffer of this node that is not wanted any more; what cannot be removed stays.
void drop_shard(env::FileSystem& files, const Shard& shard) noexcept;

// What another process left unfinished in a set. Not while one copies.
void remove_parts(env::FileSystem& files, const std::string& checkpoint);
// The members of a set that are not in it, in words: where they wait. Empty: all are there.
std::string describe_waiting(const env::FileSystem& files, const std::string& checkpoint,
                             const std::vector<Shard>& shards);

}  // namespace tailrace::checkpoint
