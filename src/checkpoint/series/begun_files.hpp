// The list `files.jsonl` beside the checkpoints: which files of the output the run made, and which files of
// a series it created after which checkpoint. Files of a series have times in their names. A run that returns
// to a checkpoint may not create the same names again, and without this list their files would remain.
//
// Run directories are copied, moved and shared. So the list has the paths as the configuration has them,
// relative to the directory of the run, and a job removes a file only if its own configuration still has the
// series and the file lies where that series is written. All other files stay, and the log names them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// The output of the present configuration.
struct OutputOfRun {
  std::string directory;         // absolute: where relative paths lead
  std::set<std::string> series;  // the paths of the entries with many files, with `{start}` and the like
  std::set<std::string> files;   // the paths of the other entries
};

struct BegunFile {
  std::string path;          // as the configuration has it: absolute, or relative to the directory of the run
  std::string series;        // the path of its entry; empty in a list of an earlier version
  std::int64_t behind = -1;  // the step of the newest checkpoint before it; -1: none

  bool operator==(const BegunFile&) const = default;
};

// Call it before the file is created, from any thread of any server; `checkpoints` (checkpoints_path) exists.
// Throws Error(resource).
void note_begun(env::FileSystem& files, const std::string& checkpoints, const BegunFile& file);

// The run in this directory is about to make these files, besides its series. Call it before any server
// creates one; `checkpoints` exists. Throws Error(resource).
void note_output(env::FileSystem& files, const std::string& checkpoints, const OutputOfRun& output);

struct RunFiles {
  std::string directory;         // of the run that wrote the checkpoints last; empty: not known
  std::set<std::string> files;   // that it made, besides its series
  std::vector<BegunFile> begun;  // in the order in which they were begun
  bool exists = false;           // whether there is a list
  int unreadable = 0;            // lines; the last one does not count if its writer died within it
};
// Throws Error(resource) if the list exists, but cannot be read.
RunFiles read_run_files(const env::FileSystem& files, const std::string& checkpoints);

// Whether this run, or the one of which its directory is a copy, made the file of a series with this path,
// which is as the configuration has it.
bool was_begun(const RunFiles& run, const std::string& path);

// The files that a run which continues from `step` (none: from the beginning) must not have: those that
// exist, and were begun after that checkpoint.
struct BegunBehind {
  struct Removed {
    BegunFile file;
    std::string path;  // absolute
  };
  std::vector<Removed> removed;   // regular files of series of the present configuration
  std::vector<std::string> stay;  // with the reason, for people
};
BegunBehind begun_behind(const env::FileSystem& files, const RunFiles& run, const OutputOfRun& output,
                         std::optional<std::int64_t> step);

// Removes them, and forgets those that do not exist any more. The log names them, and those that stay. For
// the process that holds the lock of the checkpoints. Throws Error(resource) if the list cannot be read or
// written.
void remove_begun_behind(env::FileSystem& files, const std::string& checkpoints, const OutputOfRun& output,
                         std::optional<std::int64_t> step);

}  // namespace tailrace::checkpoint
