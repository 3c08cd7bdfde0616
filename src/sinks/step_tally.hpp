// Counts what became of the steps of a stream, over all datasets of a series.
#pragma once

#include "output/dataset.hpp"
#include "telemetry/counters.hpp"

namespace tailrace::sinks {

class StepTally {
 public:
  void show(const output::Dataset& dataset, telemetry::DatasetCounters& counters) const;
  // The dataset is closed, and its counts are final.
  void end(const output::Dataset& dataset, telemetry::DatasetCounters& counters);

 private:
  output::StreamCounts ended_;
};

}  // namespace tailrace::sinks
