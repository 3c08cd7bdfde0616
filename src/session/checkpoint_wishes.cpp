#include "session/checkpoint_wishes.hpp"

#include "base/log.hpp"

namespace tailrace::session {
namespace {

constexpr double seconds_of_one_wish = 1.0;  // in which a signal to all ranks comes to each of them

}  // namespace

CheckpointWishes::CheckpointWishes(const settings::CheckpointOptions& options, const env::Clock& clock, bool tells)
    : clock_(clock) {
  if (!options.is_asked_for) return;
  if (options.on_signal) {
    signal_.emplace();
    granted_ = signal_->times();
  }
  if (options.before_time_limit <= 0.0) return;
  std::optional<double> limit = env::end_of_job();
  if (options.time_limit > 0.0) limit = clock_.wall_seconds() + options.time_limit;
  end_ = limit.value_or(1e300) - options.before_time_limit;
  if (!limit && tells)
    base::log_warning(
        "checkpoint.before_time_limit: the limit of this job is not known (there is no SLURM_JOB_END_TIME), so "
        "it makes no checkpoint due; write `checkpoint.time_limit` too");
}

bool CheckpointWishes::is_signalled() {
  if (!signal_) return false;
  if (granted_at_ && clock_.seconds() < *granted_at_ + seconds_of_one_wish) granted_ = signal_->times();
  return signal_->times() != granted_;
}

bool CheckpointWishes::limit_is_near() const { return end_ && !ends_ && clock_.wall_seconds() >= *end_; }

void CheckpointWishes::grant() {
  if (signal_) granted_ = signal_->times();
  granted_at_ = clock_.seconds();
}

}  // namespace tailrace::session
