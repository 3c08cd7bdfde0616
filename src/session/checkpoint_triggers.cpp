#include "session/checkpoint_triggers.hpp"

#include <csignal>
#include <limits>

#include "base/log.hpp"
#include "settings/checkpoint.hpp"

namespace tailrace::session {
namespace {

constexpr double seconds_of_one_request = 1.0;  // a signal to all ranks reaches each of them within this time

}  // namespace

CheckpointTriggers::CheckpointTriggers(const settings::Configuration& configuration, const env::Clock& clock,
                                       bool logs)
    : clock_(clock), logs_(logs) {
  const auto* options = configuration.sections.find<settings::CheckpointOptions>();
  if (options == nullptr || !options->is_asked_for) return;
  if (options->on_signal && configuration.servers.stop_signal != SIGUSR1) {
    signal_.emplace();
    granted_ = signal_->times();
  }
  if (options->before_time_limit <= 0.0) return;
  std::optional<double> limit = env::end_of_job();
  if (options->time_limit > 0.0) limit = clock_.wall_seconds() + options->time_limit;
  end_ = limit.value_or(std::numeric_limits<double>::infinity()) - options->before_time_limit;
  if (!limit && logs_)
    base::log_warning(
        "checkpoint.before_time_limit: the limit of this job is not known (there is no SLURM_JOB_END_TIME), "
        "so it makes no checkpoint due; set `checkpoint.time_limit` too");
}

bool CheckpointTriggers::is_signalled() {
  if (!signal_) return false;
  if (granted_at_ && clock_.seconds() < *granted_at_ + seconds_of_one_request) granted_ = signal_->times();
  return signal_->times() != granted_;
}

bool CheckpointTriggers::limit_is_near() const { return end_ && !ends_ && clock_.wall_seconds() >= *end_; }

bool CheckpointTriggers::agree(comm::Communicator& ranks) {
  const bool awaits_limit = end_ && !ends_;
  if (!signal_ && !awaits_limit) return false;
  const bool near = limit_is_near();
  if (!ranks.any_says(is_signalled() || near)) return false;
  if (awaits_limit && ranks.any_says(near)) {
    ends_ = true;
    if (logs_)
      base::log_warning(
          "the limit of the job is near (checkpoint.before_time_limit): a checkpoint is due, and the model "
          "is "
          "asked to stop");
  }
  if (signal_) granted_ = signal_->times();
  granted_at_ = clock_.seconds();
  return true;
}

}  // namespace tailrace::session
