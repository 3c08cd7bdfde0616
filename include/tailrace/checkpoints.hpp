// Manages checkpoints on disk between two jobs, for people and scripts; `tailrace checkpoints` uses it. A
// model uses tailrace.hpp.
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
  // These three are known for complete checkpoints only.
  double time = 0.0;         // model time in seconds
  std::uint64_t bytes = 0;   // the size of all its files except the manifest
  std::int64_t members = 0;  // the number of shards: files, one for each server that wrote
  std::string state;         // complete, on_nodes (still in burst buffers), unfinished, damaged, refused
  std::string why;           // why it is not complete
  std::string holder;        // the job that has the component's checkpoints open, as "host (process 123)"
};

// `path` is checkpoint.directory of a configuration, the directory of one component in it, or one checkpoint.
// All calls block on the disk. Each throws Error(resource) that names the path if it holds no checkpoints.
class TAILRACE_EXPORT Checkpoints {
 public:
  explicit Checkpoints(std::string path) : path_(std::move(path)) {}
  // By component, the newest first. `verify` reads all of them and compares the checksums; without it a
  // damaged shard is not noticed.
  std::vector<Checkpoint> list(bool verify = false) const;
  // Copies one checkpoint (path) into DIRECTORY/COMPONENT of another directory and returns the path of the
  // copy, which is then on disk. Error(resource) if the checkpoint is damaged, or if the directory has one of
  // that step.
  std::string copy(const std::string& directory) const;
  // Drains the burst buffer of this node. Returns the paths of the checkpoints that are then complete; others
  // may still wait on other nodes. Error(resource) if a job has them open, or if a shard is damaged.
  std::vector<std::string> drain() const;
  // Keeps the newest `keep` complete checkpoints of each component and returns the paths of those that it
  // removed. Error(usage) if `keep` is less than 1; Error(resource) if a job has them open.
  std::vector<std::string> prune(int keep) const;
  // Reads all checkpoints, removes those that cannot be used, and returns their paths. Error(resource) if a
  // job has them open.
  std::vector<std::string> repair() const;

 private:
  std::string path_;
};

}  // namespace tailrace
