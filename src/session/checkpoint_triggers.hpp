// Triggers of a checkpoint other than the schedule and the model: SIGUSR1, and the time limit of the job.
#pragma once

#include <optional>

#include "comm/communicator.hpp"
#include "env/clock.hpp"
#include "env/signals.hpp"
#include "settings/configuration.hpp"

namespace tailrace::session {

// On each model rank. Ranks observe a trigger at different times, so they agree by an allreduce at each step.
class CheckpointTriggers {
 public:
  // Made in `start`. `logs`: this rank logs for all ranks.
  CheckpointTriggers(const settings::Configuration& configuration, const env::Clock& clock, bool logs);

  // True if a checkpoint is due, equal on all ranks. Collective if the configuration has a trigger.
  bool agree(comm::Communicator& ranks);
  bool ends() const { return ends_; }  // all ranks agreed that the limit is near, so the run is to end

 private:
  bool is_signalled();         // a signal arrived that has not led to a checkpoint yet
  bool limit_is_near() const;  // by the clock of this rank

  const env::Clock& clock_;
  bool logs_;
  std::optional<env::CheckpointSignal> signal_;
  int granted_ = 0;                   // signals that have led to a checkpoint
  std::optional<double> granted_at_;  // steady seconds
  std::optional<double> end_;  // wall seconds after which the limit is near; set on all ranks or on none
  bool ends_ = false;
};

}  // namespace tailrace::session
