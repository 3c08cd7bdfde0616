// The file `complete` beside the checkpoints: the steps of those that were committed and not removed since,
// one a line. Without it a checkpoint that has lost its manifest would look like one that was never finished,
// which the next job removes. It is evidence only: a checkpoint that has its manifest does not need it.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// Empty if there is no such file, or if it cannot be read.
std::set<std::int64_t> complete_steps(env::FileSystem& files, const std::string& checkpoints);

// For the process that holds the lock of the checkpoints, whose directory exists. On the device when it
// returns. Throws Error(resource).
void set_complete_steps(env::FileSystem& files, const std::string& checkpoints,
                        const std::set<std::int64_t>& steps);

// Before the manifest of a checkpoint is removed. On the device when it returns: otherwise a crash would
// leave a checkpoint that looks damaged. If the disk is full, the whole file is removed, because the
// checkpoint must make room.
void forget_complete(env::FileSystem& files, const std::string& checkpoints, std::int64_t step);

}  // namespace tailrace::checkpoint
