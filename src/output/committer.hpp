// Decides, on the server that owns a file, when a commit is complete. Commit points determine which chunks
// belong to it; the chunks arrive in any order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "output/assembly.hpp"
#include "output/dataset.hpp"

namespace tailrace::output {

// A variable whose chunks are made by assemblies.
struct CommittedVariable {
  int variable = -1;        // index into DatasetSpec::variables
  int axis = -1;            // index into CommitPoint::lengths; -1: static, part of the first commit
  bool contiguous = false;  // stored as plain values
  ChunkGrid grid;
};

// A moment of model time: all data up to it are written in one commit.
struct CommitPoint {
  std::vector<std::int64_t> lengths;  // records, by axis
  std::vector<PlainValues> values;    // times, bounds and constants of this commit
  std::vector<LateAttribute> attributes = {};
  double model_time = 0.0;
  std::int64_t step = 0;
  double closed_at = 0.0;  // when its last tick was seen, in seconds of the steady clock
  bool final = false;
  std::string part;  // in a series: the path of the current file
  // Attributes of that file besides those of the DatasetSpec; null: none.
  std::shared_ptr<const Attributes> file_attributes = nullptr;
  // The first record in that file, by axis. May be empty for a single file, where all are 0.
  std::vector<std::int64_t> begins;
  bool ends_part = false;    // this is the last commit to that file
  std::int64_t records = 0;  // new in this commit, summed over the axes
};

struct ReadyCommit {
  Commit commit;
  CommitPoint point;
  std::size_t bytes = 0;
};

// Detects complete commits and holds chunks that arrive early. Not thread-safe: it lives on the communication
// thread, which passes the result of next() to the I/O thread.
//
// Commits are emitted in the order of model time, each whole or not at all. A commit whose chunks have all
// arrived still waits for its predecessor, so that a file always holds the state at one moment; no ordering
// of single chunks could guarantee this. A chunk may be part of several commits, each with more of its
// records. Only the newest version is kept, since it contains the older ones. Keys are sorted, so that a
// commit lists its chunks in the same order for any order of arrival, and files have the same bytes.
class Committer {
 public:
  // Whether this server writes a chunk; `variable` is an index into the variables given.
  using Mine = std::function<bool(std::size_t variable, const ChunkGrid& grid, std::int64_t spatial,
                                  std::int64_t record_chunk)>;

  // `dims`: the index into DatasetSpec::dims of each axis. `mine`: for a dataset with several writers, which
  // chunks a commit waits for on this server; without it, all.
  Committer(std::vector<CommittedVariable> variables, std::vector<int> dims, Mine mine = {});

  void point(CommitPoint&& point);  // in the order of model time, the final one last
  void deliver(std::size_t variable, FinishedChunk&& chunk);  // index into the variables given
  // Drops pending points of later steps and final ones.
  void drop_after(std::int64_t step);
  std::optional<ReadyCommit> next();           // the next commit, if all its chunks have arrived
  bool finished() const { return finished_; }  // next() has returned the final commit

  std::size_t bytes() const { return bytes_; }  // held in chunks
  // bytes() if a commit of a step up to `step` is due, else 0. These leave without input from later steps.
  std::size_t due_bytes(std::int64_t step) const { return due(step) ? bytes_ : 0; }
  bool due(std::int64_t step) const { return !points_.empty() && points_.front().step <= step; }
  // Calls `visit` for each chunk that has records after the last commit. Only valid while no point is
  // pending.
  void for_each_waiting(const std::function<void(std::size_t variable, const FinishedChunk&)>& visit) const;
  const std::vector<std::int64_t>& committed() const { return committed_; }  // records, by axis
  // Continues after an earlier run that committed so many records. `has_statics`: the static variables are in
  // the file already.
  void resume(std::vector<std::int64_t> committed, bool has_statics = true);
  std::string waiting_for() const;  // a line for the log: what the next commit still lacks

 private:
  using Key =
      std::tuple<std::size_t, std::int64_t, std::int64_t>;  // variable, chunk along the records, spatial
  struct Held {
    FinishedChunk chunk;
    bool written = false;
    std::int64_t taken = 0;  // its records in earlier commits
  };
  void expect();  // computes needed_ for points_.front()
  void take(ReadyCommit& ready, std::size_t variable, Held& held, std::int64_t length);

  std::vector<CommittedVariable> variables_;
  std::vector<int> dims_;
  Mine mine_;
  std::deque<CommitPoint> points_;
  std::vector<std::int64_t> committed_;  // records, by axis
  bool static_done_ = false;
  std::map<Key, Held> held_;  // the newest version of each chunk that is not yet committed in full
  std::map<Key, std::int64_t>
      needed_;  // chunks that the front point lacks, with the records that they must hold
  bool expected_ = false;
  bool finished_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::output
