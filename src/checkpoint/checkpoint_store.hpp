// The checkpoints of one component, for the only process of a job that commits and removes them.
//
// A commit follows the protocol of atomic file replacement: all shards are made durable first, then the
// manifest is written under a temporary name, synced and renamed. A checkpoint without a manifest does not
// count, so a crash at any moment leaves the earlier checkpoints usable. The lock of the directory keeps
// another job from removing checkpoints that this one continues from.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checkpoint/checkpoint.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// One thread at a time; may block on the disk. Failures are Error(resource) that name the path.
class CheckpointStore {
 public:
  // Makes DIRECTORY/COMPONENT and locks it until this object is destroyed or the process ends. Throws
  // Error(resource) with host and process of another job that has the lock (if the file system supports
  // locks; NFS does not). Then removes unfinished checkpoints of jobs that were killed. Servers must not
  // write shards before.
  CheckpointStore(env::FileSystem& files, const std::string& directory, const std::string& component);

  const std::string& path() const { return path_; }  // DIRECTORY/COMPONENT
  std::string checkpoint_path(std::int64_t step) const { return checkpoint::checkpoint_path(path_, step); }

  // REQUIRES: all shards are finished and in the checkpoint's directory. When it returns, the checkpoint
  // survives a loss of power; when it throws, this checkpoint does not exist, and the earlier ones are
  // unchanged.
  void commit(const Manifest& manifest);
  // REQUIRES: all shards are finished, some of them in burst buffers of nodes. Records where they are. When
  // it returns, a later job finds them even if this one is killed; the checkpoint counts only after its
  // commit. When it throws, no such record is left.
  void note_on_nodes(const Manifest& manifest);
  // Removes a checkpoint that is not committed, when no server writes to it any more; keeps a committed one.
  // Only logs what it cannot remove; the next job removes it.
  void abandon(std::int64_t step) noexcept;
  // Removes all but the newest `keep` (at least 1) complete checkpoints, and does not touch these. Only logs
  // what it cannot remove, since the newest checkpoint is not affected.
  void prune(int keep);
  // Removes all checkpoints of later steps, complete or not, and names them in the log: a job that continues
  // from `step` (none: from the beginning) writes its own. Throws Error(resource), before anything is
  // removed, if one of them is refused (FoundCheckpoint). Call it before the job changes any file of its
  // output.
  void discard_after(std::optional<std::int64_t> step);

 private:
  void take_hold(const std::string& component);

  env::FileSystem& files_;
  std::string path_;
  std::unique_ptr<env::File> lock_;
};

// Makes directories and their names durable, however many of them are new.
void make_durable_directories(env::FileSystem& files, const std::string& path);

// The holder of the lock of the checkpoints in `path`, as "host (process 123)"; empty if there is none.
std::string holder_of(env::FileSystem& files, const std::string& path);

// Removes a checkpoint, the manifest first, so that none looks complete if the process ends in between. Files
// that users put there stay, and their directory. Throws Error(resource) then, and for a link, which stays.
void remove_checkpoint(env::FileSystem& files, const std::string& checkpoint);

}  // namespace tailrace::checkpoint
