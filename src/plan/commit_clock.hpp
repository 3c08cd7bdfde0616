// Predicts when a file commits and which records the commit contains. It is a pure function of the model's
// ticks, so that the owners of chunks and of the file agree without messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/axis_bank.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// The lengths of the axes of a file after a step that closed records.
struct AxisLengths {
  std::int64_t step = 0;
  std::vector<std::int64_t> lengths;
};

struct CommitDue {
  std::vector<std::int64_t> lengths;                   // records, by axis of the file
  std::vector<std::vector<time::TimeRecord>> records;  // new since the last commit, by axis
  std::vector<AxisLengths> closed_lengths;             // of these records, ascending
  model::Tick tick;
  bool final = false;
  // For a series: the path of its file, the number of its first record by axis (0 for a single file), and
  // whether the file is complete.
  std::string part;
  std::vector<std::int64_t> begins;
  bool ends_part = false;
};

// Moves the records closed by steps up to `step` out of a commit; the others stay in it.
CommitDue take_until(CommitDue& due, std::int64_t step);

// The state of a file between two commits, in records by axis of the file.
struct Pending {
  std::vector<std::int64_t> committed;  // in commits so far
  std::vector<std::int64_t> closed;
};

// An early commit is made when the records of a file, in bytes, reach this share of a server's memory.
std::size_t most_bytes_of_commit(std::size_t memory, const Plan& plan);

// The bound on records that wait for a commit.
struct ClockLimits {
  std::vector<std::size_t> bytes_per_record;  // unencoded, by axis
  std::size_t most_bytes = 0;
};

class CommitClock {
 public:
  // `number` is the file's index in its plan. A commit is due at the first tick at or past each multiple of
  // `write_every`, and earlier if more than `limits.most_bytes` wait, so that memory stays bounded however
  // rarely the user wants to write. A commit is also due where a file of a series ends; with a file per
  // write, only there.
  CommitClock(const DatasetPlan& file, std::size_t number, const calendar::Calendar& calendar,
              model::Tick begin, ClockLimits limits);

  // After `axes` have advanced to `tick`.
  std::optional<CommitDue> advance(const AxisBank& axes, const model::Tick& tick);
  // An early commit of the waiting records that steps up to this one closed, if there are any.
  std::optional<CommitDue> commit_until(const AxisBank& axes, const model::Tick& tick);
  // The records that advance() has not returned yet, as a commit into the open file.
  CommitDue gathered(const AxisBank& axes);
  // Ends the run: windows that are still open close at its last tick.
  CommitDue finish(const AxisBank& axes);

  Pending pending() const { return {committed_, gathered_.lengths}; }
  void save(model::NumberSaver saver) const { visit_state(*this, std::move(saver)); }
  void load(model::NumberLoader loader);

 private:
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor visit) {
    visit("committed", self.committed_);
    visit("closed", self.gathered_.lengths);
    visit("begins", self.gathered_.begins);
    visit("bytes", self.bytes_);
    visit("step", self.tick_.step);
    visit("time", self.tick_.time);
    visit("part", self.part_);
    time::Cadence::visit_state(self.write_, visit.in("write"));
    for (std::size_t axis = 0; axis < self.gathered_.records.size(); ++axis)
      time::visit_records(self.gathered_.records[axis], visit.in(std::to_string(axis)));
  }
  CommitDue take(const AxisBank& axes, bool final, bool ends_part);
  std::string name_part(const AxisBank& axes, bool ended);
  void append_closed(const AxisBank& axes, bool of_next_file);
  void begin_file(const AxisBank& axes);
  void append(std::size_t axis, const time::TimeRecord& record, std::int64_t step);

  std::size_t number_;
  time::Cadence write_;
  bool each_write_ends_;
  bool ends_with_step_ =
      false;          // records added at the end of the run are in a file with the last step in its name
  std::string part_;  // the name of the open file, once it is known
  ClockLimits limits_;
  std::size_t bytes_ = 0;
  model::Tick tick_;
  CommitDue gathered_;
  std::vector<std::int64_t> committed_;  // records of all commits so far, by axis
};

}  // namespace tailrace::plan
