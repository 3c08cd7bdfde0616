// Decides on the owner of a file when a commit is complete: it knows from the commit points which chunks must
// come, and takes them in any order. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
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
  std::string part;  // of a series: the path of its file
  // The first record of that file, by axis; of one file, 0 (and none need be given).
  std::vector<std::int64_t> begins;
  bool ends_part = false;    // that file holds nothing more
  std::int64_t records = 0;  // new in this commit, on all axes
};

struct ReadyCommit {
  Commit commit;
  CommitPoint point;
  std::size_t bytes = 0;
};

// Knows when a commit is complete, and holds what came too early for it. Not safe from several threads; on
// the communication thread, which hands what next() gives to the thread that writes.
//
// Commits leave in the order of model time, each whole or not at all. One whose chunks are all here still
// waits for the one before it: what is on disk is always the state at one moment, which no order of chunks
// could promise. A chunk may be part of several commits, each with more of its records; only its newest
// delivery is kept, because that one holds all that the older ones do. Keys are sorted so that a commit lists
// its chunks in the same order whatever order they came in: files have the same bytes.
class Committer {
 public:
  // Whether a chunk is written from here; `variable` is an index into the variables given.
  using Mine = std::function<bool(std::size_t variable, const ChunkGrid& grid, std::int64_t spatial,
                                  std::int64_t record_chunk)>;

  // `dims`: index into DatasetSpec::dims of each axis. `mine`: of a dataset written by many, which chunks a
  // commit waits for here; without it, all.
  Committer(std::vector<CommittedVariable> variables, std::vector<int> dims, Mine mine = {});

  void point(CommitPoint&& point);  // in the order of model time; a final one comes last
  void deliver(std::size_t variable, FinishedChunk&& chunk);  // index into the variables given
  // Forgets the points that still wait here and are of later steps, or final ones.
  void drop_after(std::int64_t step);
  std::optional<ReadyCommit> next();           // the next commit, if all its chunks are there
  bool finished() const { return finished_; }  // the final commit was taken

  std::size_t bytes() const { return bytes_; }  // of chunks that wait here
  // Of those, while a commit of a step up to `step` is due: they leave without any input of later steps.
  std::size_t due_bytes(std::int64_t step) const { return due(step) ? bytes_ : 0; }
  bool due(std::int64_t step) const { return !points_.empty() && points_.front().step <= step; }
  // Between two commits, when no point waits: calls `visit` with each chunk that has records behind the last
  // one.
  void for_each_waiting(const std::function<void(std::size_t variable, const FinishedChunk&)>& visit) const;
  const std::vector<std::int64_t>& committed() const { return committed_; }  // records, by axis
  // Goes on where another one had committed so many records. `has_statics`: what is static is there already.
  void resume(std::vector<std::int64_t> committed, bool has_statics = true);
  std::string waiting_for() const;  // for people: what the next commit still lacks

 private:
  using Key =
      std::tuple<std::size_t, std::int64_t, std::int64_t>;  // variable, chunk along the records, spatial
  struct Held {
    FinishedChunk chunk;
    bool written = false;
    std::int64_t taken = 0;  // records of it that earlier commits brought
  };
  void expect();  // fills needed_ for points_.front()
  void take(ReadyCommit& ready, std::size_t variable, Held& held, std::int64_t length);

  std::vector<CommittedVariable> variables_;
  std::vector<int> dims_;
  Mine mine_;
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
