// How far the disks are behind the steps of this server's clients, wherever the files are: the server of a
// slow file cannot hold what all others may send to it, so these wait with their next step.
//
// When a commit is due, and how large it is, is a pure function of the steps, so a server knows it of its own
// step, however far the others are; all it must hear is what has been written (ControlMessage::written). It
// waits only for commits that are due by steps which it has taken in. Of the servers, the one that is
// furthest behind has to wait for none that lacks something: what the others must give for it, they have
// taken in already. So no two servers wait for each other.
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
  // Both must live longer. `most`: bytes, not encoded, of due commits that one server may lag behind with.
  FlowControl(const Blueprint& blueprint, ControlChannel& control, std::size_t most);

  // On servers with clients, before their first step: of the files of the plan. `bytes_per_record` by file
  // and axis of the file.
  void start(std::vector<plan::CommitClock> clocks, std::vector<std::vector<std::size_t>> bytes_per_record);
  void begin_step(const plan::AxisBank& axes, const model::Tick& tick);  // `axes` stand at it
  // Tells the others what has been written of the files whose home is here; true if there was anything.
  bool tell(const std::vector<std::unique_ptr<sinks::Sink>>& sinks);

  // The commits that the steps so far made due are more than some server is to hold.
  bool full() const;

 private:
  struct Due {
    std::int64_t step;
    std::size_t bytes;
  };
  void on_written(const messaging::Bytes& message);

  ControlChannel& control_;
  sinks::Owners owners_;
  std::size_t most_;
  std::vector<plan::CommitClock> clocks_;  // by file, all of these
  std::vector<std::vector<std::size_t>> bytes_per_record_;
  std::vector<std::deque<Due>> due_;
  std::vector<std::int64_t> written_;  // commits up to this step, as far as is known here
  std::vector<std::int64_t> told_;
};

}  // namespace tailrace::pipeline
