// Decides on the owner of a file when a commit is complete: it knows from the commit points which chunks must
// come, and takes them in any order. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "output/assembly.hpp"
#include "output/dataset.hpp"

namespace tailrace::output {

// A variable whose chunks come from assemblies.
struct CommittedVariable {
  int variable = -1;        // index into DatasetSpec::variables
  int axis = -1;            // index into CommitPoint::lengths; -1: static, part of the first commit
  bool contiguous = false;  // stored as plain values
  ChunkGrid grid;
};

// Everything up to a moment of model time belongs on disk together.
struct CommitPoint {
  std::vector<std::int64_t> lengths;  // records, by axis
  std::vector<PlainValues> values;    // time, bounds, constants that come with it
  double model_time = 0.0;
  std::int64_t step = 0;
  double closed_at = 0.0;  // steady seconds when the last tick of it was seen
  bool final = false;
  std::string part;        // of a series: what the name of its file has
  bool ends_part = false;  // and that file holds nothing more
};

struct ReadyCommit {
  Commit commit;
  CommitPoint point;
  std::size_t bytes = 0;
};

class Committer {
 public:
  // `dims`: index into DatasetSpec::dims of each axis.
  Committer(std::vector<CommittedVariable> variables, std::vector<int> dims);

  void point(CommitPoint&& point);  // in the order of model time; a final one comes last
  void deliver(std::size_t variable, FinishedChunk&& chunk);  // index into the variables given
  std::optional<ReadyCommit> next();                          // the next commit, if all its chunks are there
  bool finished() const { return finished_; }                 // the final commit was taken

  std::size_t bytes() const { return bytes_; }  // of chunks that wait here
  // Of those, while a commit of a step up to `step` is due: they leave without any input of later steps.
  std::size_t due_bytes(std::int64_t step) const { return due(step) ? bytes_ : 0; }
  bool due(std::int64_t step) const { return !points_.empty() && points_.front().step <= step; }
  std::string waiting_for() const;  // for people: what the next commit still lacks

 private:
  using Key =
      std::tuple<std::size_t, std::int64_t, std::int64_t>;  // variable, chunk along the records, spatial
  struct Held {
    FinishedChunk chunk;
    bool written = false;
  };
  void expect();  // fills needed_ for points_.front()
  void take(ReadyCommit& ready, std::size_t variable, Held& held);

  std::vector<CommittedVariable> variables_;
  std::vector<int> dims_;
  std::deque<CommitPoint> points_;
  std::vector<std::int64_t> committed_;  // records, by axis
  bool static_done_ = false;
  std::map<Key, Held> held_;            // the newest delivery of each chunk not yet committed in full
  std::map<Key, std::int64_t> needed_;  // chunks the front point lacks: records that must be in them
  bool expected_ = false;
  bool finished_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::output
