// What became of the steps of a file that goes to readers, over all files of a series.
#pragma once

#include "output/dataset.hpp"
#include "output/stream_counts.hpp"
#include "telemetry/counters.hpp"

namespace tailrace::sinks {

class StepTally {
 public:
  void show(const output::Dataset& dataset, telemetry::DatasetCounters& counters) const;
  // The dataset is closed, and counts no more.
  void end(const output::Dataset& dataset, telemetry::DatasetCounters& counters);

 private:
  output::StreamCounts ended_;
};

}  // namespace tailrace::sinks
