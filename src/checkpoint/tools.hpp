// Operations on checkpoints between two jobs: list, check, copy, remove.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/checkpoint_check.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// The `path` of all these: the directory of a configuration, that of one component in it (checkpoints_path),
// or a checkpoint. They throw Error(resource) that names it if it does not exist or contains no checkpoints.

struct SurveyedCheckpoint {
  FoundCheckpoint checkpoint;
  std::string component;
  std::string holder;  // of the lock of the component's checkpoints (holder_of)
};

// Components by name, the newest checkpoint first. `verify` reads all shards; a damaged shard makes its
// checkpoint damaged.
std::vector<SurveyedCheckpoint> survey(env::FileSystem& files, const std::string& path, bool verify);

// The checkpoint that a restart of this component would use if its shards are undamaged: they are not read.
// Throws Error(resource) if there is none, with the components that have one, and for one that is refused.
FoundCheckpoint newest_complete(env::FileSystem& files, const std::string& path,
                                const std::string& component);

// Copies a complete checkpoint into DIRECTORY/COMPONENT and verifies each byte; returns the path of the copy,
// which is durable then. The list of the files that the run made (series/begun_files.hpp) is copied, too,
// unless there is one. Throws Error(resource) for damage, if there is a checkpoint of that step, and if a
// job holds the lock.
std::string copy_checkpoint(env::FileSystem& files, const std::string& checkpoint,
                            const std::string& directory);

// Drains the burst buffer of this node for all checkpoints that wait on nodes, and commits those that are
// complete then; returns their paths. Throws Error(resource) if a job holds the lock, and, after all were
// tried, for the first shard that cannot be drained.
std::vector<std::string> drain_checkpoints(env::FileSystem& files, const std::string& path);

// Removes all but the newest `keep` complete checkpoints of each component, and unfinished ones; returns the
// removed paths. Throws Error(resource) if a job holds the lock.
std::vector<std::string> prune_checkpoints(env::FileSystem& files, const std::string& path, int keep);

// Removes unusable checkpoints: those without a manifest, and damaged ones, for which all are read; returns
// the removed paths. Throws Error(resource) if a job holds the lock.
std::vector<std::string> remove_unusable(env::FileSystem& files, const std::string& path);

}  // namespace tailrace::checkpoint
