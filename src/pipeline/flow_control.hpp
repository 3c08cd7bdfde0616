// Flow control between the clients and the disks, credit-based without a message per credit.
//
// A server that writes a slow file cannot hold everything that the other servers may send to it. So each
// server counts the bytes of commits that its own steps have made due and that their homes have not written
// yet, and accepts no further step while the sum for one home exceeds the limit. The commits that a step
// makes due, and their sizes, follow from the step alone (CommitClock), so a server needs only one message:
// what has been written (ControlMessage::written). Without flow control, a slow disk would fill the memory
// of the home.
//
// No deadlock: a server waits only for commits that are due by steps it has accepted. The server that is
// furthest behind waits only for commits to which all others have contributed already, since these have
// accepted at least the same steps. So it can always continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "pipeline/blueprint.hpp"
#include "pipeline/control/control_channel.hpp"
#include "plan/axis_bank.hpp"
#include "plan/commit_clock.hpp"
#include "sinks/owners.hpp"
#include "sinks/sink.hpp"

namespace tailrace::pipeline {

// Communication thread only.
class FlowControl {
 public:
  // Both must live longer. `most`: the limit, in unencoded bytes of due commits per home.
  FlowControl(const Blueprint& blueprint, ControlChannel& control, std::size_t most);

  // On servers with clients, before their first step. `clocks`: by file of the plan. `bytes_per_record`: by
  // file and axis of the file.
  void start(std::vector<plan::CommitClock> clocks, std::vector<std::vector<std::size_t>> bytes_per_record);
  void begin_step(const plan::AxisBank& axes, const model::Tick& tick);  // `axes` have advanced to `tick`
  void end_files_of_model(const plan::AxisBank& axes);                   // which have ended them
  // All records of the steps up to this one are on the disk, as far as this server has accepted steps.
  std::int64_t written_until() const;
  // Broadcasts how far the files whose home is here are written; returns true if that has changed.
  bool report_written(const std::vector<std::unique_ptr<sinks::Sink>>& sinks);

  // The limit is exceeded for some home: accept no further step.
  bool full() const;

 private:
  struct Due {
    std::int64_t step;
    std::size_t bytes;
  };
  void add_due(std::size_t file, const plan::CommitDue& due);
  void on_written(const messaging::Bytes& message);

  ControlChannel& control_;
  sinks::Owners owners_;
  std::size_t most_;
  // By file:
  std::vector<plan::CommitClock> clocks_;
  std::vector<std::vector<std::size_t>> bytes_per_record_;
  std::vector<std::deque<Due>> due_;
  std::vector<std::int64_t> written_;  // commits up to this step are known to be written
  // Commits that count as written above, but wait to be merged with others and so are not on the disk.
  std::vector<std::deque<std::int64_t>> unsaved_;  // steps of commits
  std::vector<std::int64_t> saved_;
  struct Reported {
    std::int64_t written = model::static_step, saved = model::static_step;
    bool operator==(const Reported&) const = default;
  };
  std::vector<Reported> reported_;
  std::int64_t step_ = model::static_step;  // the last that was accepted
};

}  // namespace tailrace::pipeline
