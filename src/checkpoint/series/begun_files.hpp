// Records which output files a run created after which checkpoint. Files of a series have times in their
// names. A run that returns to a checkpoint may not create the same names again, and without this record
// their files would remain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// Call it before `path` is created, from any thread of any server; `checkpoints` (checkpoints_path) exists.
// `behind`: the step of the newest checkpoint before it; -1: none. Throws Error(resource).
void note_begun(env::FileSystem& files, const std::string& checkpoints, const std::string& path,
                std::int64_t behind);

// The run continues from `step` (none: from the beginning): removes the files that were created after it, and
// their records. The log names them, and those that cannot be removed. For the process that holds the lock of
// the checkpoints.
void remove_begun_behind(env::FileSystem& files, const std::string& checkpoints,
                         std::optional<std::int64_t> step);

}  // namespace tailrace::checkpoint
