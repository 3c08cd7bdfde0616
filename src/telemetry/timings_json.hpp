// Durations as JSON, in the form of docs/formats/report.md, for the report and the status.
#pragma once

#include <nlohmann/json.hpp>
#include <utility>

#include "telemetry/counter.hpp"

namespace tailrace::telemetry {

// {count, seconds, mean_seconds, median_seconds, most_seconds, histogram}. Only the thread that counts may
// call it while it counts, unless the timings are shared.
template <bool shared>
nlohmann::ordered_json timings_json(const BasicTimings<shared>& timings) {
  nlohmann::ordered_json histogram = nlohmann::ordered_json::array();  // [upper edge in seconds, how many]
  for (std::size_t k = 0; k < timings.histogram.size(); ++k) {
    if (timings.histogram[k] > 0)
      histogram.push_back({1e-9 * static_cast<double>(Buckets::lowest(k + 1)), timings.histogram[k]});
  }
  return {{"count", timings.count.get()},           {"seconds", timings.seconds()},
          {"mean_seconds", timings.mean_seconds()}, {"median_seconds", timings.median_seconds()},
          {"most_seconds", timings.most_seconds()}, {"histogram", std::move(histogram)}};
}

}  // namespace tailrace::telemetry
