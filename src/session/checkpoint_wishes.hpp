// What makes a checkpoint due besides the schedule and the model: SIGUSR1, and the limit of the job.
#pragma once

#include <optional>

#include "env/clock.hpp"
#include "env/signals.hpp"
#include "settings/checkpoint/checkpoint.hpp"

namespace tailrace::session {

// Of one model rank. Others see the same earlier or later, so it is for all ranks to agree before anything is noted.
class CheckpointWishes {
 public:
  // In `start`. `tells`: of all ranks the one that warns where the limit of the job is not known.
  CheckpointWishes(const settings::CheckpointOptions& options, const env::Clock& clock, bool tells);

  bool may_come() const { return signal_.has_value() || awaits_limit(); }  // the same on all ranks
  bool is_signalled();                                                     // SIGUSR1, and none was granted since
  bool limit_is_near() const;                                              // by the clock of this rank
  bool awaits_limit() const { return end_.has_value() && !ends_; }         // the same on all ranks

  // As all ranks agreed.
  void grant();
  void note_limit() { ends_ = true; }
  bool ends() const { return ends_; }  // the limit is near, so the run is to end

 private:
  const env::Clock& clock_;
  std::optional<env::WishSignal> signal_;
  int granted_ = 0;                  // signals
  std::optional<double> granted_at_;  // steady seconds
  std::optional<double> end_;        // wall seconds: from then on the limit is near
  bool ends_ = false;
};

}  // namespace tailrace::session
