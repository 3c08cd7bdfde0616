// Which files of the output a run began behind which checkpoint. Those of a series bear times in their names,
// so a run that goes back to a checkpoint may never come to such a name again, and its file would be left
// over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// Any thread, any server; `sets` (sets_path) exists. `path` is about to be made. `behind`: the step of the
// newest cut before it; -1: there is none. Throws Error(resource).
void note_begun(env::FileSystem& files, const std::string& checkpoints, const std::string& path,
                std::int64_t behind);

// The run goes on from `step` (none: from the beginning): removes the files that were begun behind it, and
// forgets them. The log names them, and says of what cannot be removed. For the process that holds the sets.
void remove_begun_behind(env::FileSystem& files, const std::string& checkpoints,
                         std::optional<std::int64_t> step);

}  // namespace tailrace::checkpoint
