#include "sinks/step_tally.hpp"

namespace tailrace::sinks {

void StepTally::show(const output::Dataset& dataset, telemetry::DatasetCounters& counters) const {
  const auto* stream = dynamic_cast<const output::CountsSteps*>(&dataset);
  if (stream == nullptr) return;
  output::StreamCounts all = ended_;
  all += stream->stream_counts();
  counters.handed_over_steps.set(all.handed_over);
  counters.unread_steps.set(all.unread);
  counters.discarded_steps.set(all.discarded);
  counters.lost_steps.set(all.lost);
  counters.restarts.set(all.restarts);
}

void StepTally::end(const output::Dataset& dataset, telemetry::DatasetCounters& counters) {
  show(dataset, counters);
  if (const auto* stream = dynamic_cast<const output::CountsSteps*>(&dataset))
    ended_ += stream->stream_counts();
}

}  // namespace tailrace::sinks
