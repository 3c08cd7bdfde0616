// What makes a checkpoint due besides the schedule and the model: SIGUSR1, and the limit of the job.
#pragma once

#include <optional>

#include "comm/communicator.hpp"
#include "env/clock.hpp"
#include "env/signals.hpp"
#include "settings/configuration.hpp"

namespace tailrace::session {

// Of one model rank. Others see the same earlier or later, so all ranks agree at each step.
class CheckpointTriggers {
 public:
  // In `start`. `tells`: of all ranks the one that says on the log what concerns all.
  CheckpointTriggers(const settings::Configuration& configuration, const env::Clock& clock, bool tells);

  // Whether a checkpoint is due, the same on all ranks. Collective where a wish may come.
  bool agree(comm::Communicator& ranks);
  bool ends() const { return ends_; }  // the limit is near, as all agreed: the run is to end

 private:
  bool is_signalled();         // and none was granted since
  bool limit_is_near() const;  // by the clock of this rank

  const env::Clock& clock_;
  bool tells_;
  std::optional<env::CheckpointSignal> signal_;
  int granted_ = 0;                   // signals
  std::optional<double> granted_at_;  // steady seconds
  std::optional<double> end_;         // wall seconds: from then on the limit is near; on all ranks or on none
  bool ends_ = false;
};

}  // namespace tailrace::session
