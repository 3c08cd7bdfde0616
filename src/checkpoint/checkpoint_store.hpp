// The sets of one component, for the one process of a job that commits and removes them.
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
  // Makes DIRECTORY/COMPONENT, and holds it until this object goes or the process ends: Error(resource) that
  // names host and process of another job that holds it (where the file system knows locks; NFS does not).
  // Then removes what unfinished sets of jobs that were killed left behind. No server writes a member before.
  CheckpointStore(env::FileSystem& files, const std::string& directory, const std::string& component);

  const std::string& path() const { return path_; }  // DIRECTORY/COMPONENT
  std::string checkpoint_path(std::int64_t step) const { return checkpoint::checkpoint_path(path_, step); }

  // All members are finished and in the set's directory. When it returns, the set survives a loss of power;
  // when it throws, there is no such set, and those before are as they were.
  void commit(const Manifest& manifest);
  // All members are finished, some of them in burst buffers of nodes: notes where they are. When it returns,
  // a job that begins finds them, also after this one was killed; the set does not count before it is
  // committed. When it throws, no such note is left.
  void note_on_nodes(const Manifest& manifest);
  // Of a set that is not committed, when no server writes to it any more; a committed one stays. Says only on
  // the log what it cannot remove; the next job does.
  void abandon(std::int64_t step) noexcept;
  // Removes all but the newest `keep` (at least 1) complete sets. Those that stay are not touched. Says only
  // on the log what it cannot remove: that is no fault of the newest one.
  void prune(int keep);
  // A job that goes on from `step` (none: from the beginning) writes other sets of later steps: those that
  // are there go, whole or not, and the log names them. Before the job changes any file of its output.
  void discard_after(std::optional<std::int64_t> step);

 private:
  void take_hold(const std::string& component);

  env::FileSystem& files_;
  std::string path_;
  std::unique_ptr<env::File> lock_;
};

// With their names, however many of them are new.
void make_durable_directories(env::FileSystem& files, const std::string& path);

// Who holds the sets in `path`, as "host (process 123)"; empty where nobody does.
std::string holder_of(env::FileSystem& files, const std::string& path);

// Removes a set, in an order that leaves none that looks complete if the process ends in between.
void remove_checkpoint(env::FileSystem& files, const std::string& checkpoint);

}  // namespace tailrace::checkpoint
