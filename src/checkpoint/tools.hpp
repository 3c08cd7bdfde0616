// What people do with sets between two jobs: look, check, copy, remove.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/checkpoint_check.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// `path` of all these: the directory of a configuration, that of one component in it (sets_path), or a set.
// Error(resource) that names it where it is not there, or holds no checkpoints.

struct SurveyedCheckpoint {
  FoundCheckpoint checkpoint;
  std::string component;
  std::string holder;  // of the sets of the component (holder_of)
};

// Components by name, the newest set first. `verify` reads all members; what is wrong with one makes its set
// a damaged one.
std::vector<SurveyedCheckpoint> survey(env::FileSystem& files, const std::string& path, bool verify);

// The set that a restart of this component would take if its members are whole: they are not read.
// Error(resource) where there is none, with the components that have one, and for one that is refused.
FoundCheckpoint newest_complete(env::FileSystem& files, const std::string& path,
                                const std::string& component);

// Copies a complete set into DIRECTORY/COMPONENT, durable when it returns, and checks each byte meanwhile.
// Error(resource) for damage, for a set of that step that is there, and where a job holds the sets there.
// The path of the copy.
std::string copy_checkpoint(env::FileSystem& files, const std::string& checkpoint,
                            const std::string& directory);

// Drains what lies in the burst buffer of this node, of all sets that wait on nodes; those whose members are
// all there then count. The paths of these. Error(resource) where a job holds the sets, and for the first
// member that cannot be drained, when all have been tried.
std::vector<std::string> drain_checkpoints(env::FileSystem& files, const std::string& path);

// Removes all but the newest `keep` complete sets of each component, and what was never finished. The paths
// of what went. Error(resource) where a job holds the sets.
std::vector<std::string> prune_checkpoints(env::FileSystem& files, const std::string& path, int keep);

// Removes what cannot be used: sets without a manifest, and damaged ones, which all are read for. The paths
// of what went. Error(resource) where a job holds the sets.
std::vector<std::string> remove_unusable(env::FileSystem& files, const std::string& path);

}  // namespace tailrace::checkpoint
