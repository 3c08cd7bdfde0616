#include "sinks/step_tally.hpp"

namespace tailrace::sinks {

void StepTally::show(const output::Dataset& dataset, telemetry::DatasetCounters& counters) const {
  const auto counts = dataset.stream_counts();
  if (!counts) return;
  output::StreamCounts all = ended_;
  all += *counts;
  counters.handed_over_steps.set(all.handed_over);
  counters.unread_steps.set(all.unread);
  counters.discarded_steps.set(all.discarded);
  counters.lost_steps.set(all.lost);
  counters.restarts.set(all.restarts);
}

void StepTally::end(const output::Dataset& dataset, telemetry::DatasetCounters& counters) {
  show(dataset, counters);
  if (const auto counts = dataset.stream_counts()) ended_ += *counts;
}

}  // namespace tailrace::sinks
