// Counts the steps of a stream by outcome (sent to readers or dropped), over all files of a series.
#pragma once

#include "output/dataset.hpp"
#include "telemetry/counters.hpp"

namespace tailrace::sinks {

class StepTally {
 public:
  void show(const output::Dataset& dataset, telemetry::DatasetCounters& counters) const;
  // Adds the final counts of a dataset that is closed.
  void end(const output::Dataset& dataset, telemetry::DatasetCounters& counters);

 private:
  output::StreamCounts ended_;
};

}  // namespace tailrace::sinks
