// Checkpoints on disk between two jobs, for people and scripts: the command line stands on it. A model uses
// tailrace.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tailrace/error.hpp"
#include "tailrace/export.h"

namespace tailrace {

struct Checkpoint {
  std::string path;
  std::string component;
  std::int64_t step = 0;
  double time = 0.0;         // of the model, in seconds; of complete ones
  std::uint64_t bytes = 0;   // of all its files but the manifest; of complete ones
  std::int64_t members = 0;  // files, one for each server that wrote; of complete ones
  std::string state;         // complete, on_nodes (waits in burst buffers), unfinished, damaged, refused
  std::string why;           // of all but complete ones
  std::string holder;        // the job that has the component's checkpoints open, as "host (process 123)"
};

// `path` is checkpoint.directory of a configuration, the directory of one component in it, or one checkpoint.
// All throw Error(resource) that names it where it holds no checkpoints.
class TAILRACE_EXPORT Checkpoints {
 public:
  explicit Checkpoints(std::string path) : path_(std::move(path)) {}
  // By component, the newest first. `verify`: reads all of them and compares the checksums; else what is
  // wrong with a member is not seen.
  std::vector<Checkpoint> list(bool verify = false) const;
  // Copies one checkpoint (path) into DIRECTORY/COMPONENT of another directory, durable when it returns. The
  // path of the copy. Error(resource) for damage, or where that step is there already.
  std::string copy(const std::string& directory) const;
  // Drains what lies in the burst buffer of this node. Paths of those that are complete by that; others may
  // still wait on other nodes. Error(resource) where a job has them open, or for a member that is damaged.
  std::vector<std::string> drain() const;
  // Keeps the newest `keep` (at least 1) complete ones of each component. Paths of what went. Error(resource)
  // where a job has them open.
  std::vector<std::string> prune(int keep) const;
  // Removes what cannot be used; reads all of them. Paths of what went. Error(resource) as prune.
  std::vector<std::string> repair() const;

 private:
  std::string path_;
};

}  // namespace tailrace
