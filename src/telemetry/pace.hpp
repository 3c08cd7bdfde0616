// How fast a model ran, from the report of its run.
#pragma once

#include <optional>
#include <string>

namespace tailrace::telemetry {

struct Pace {
  double model_seconds = 0.0;  // in a second of wall time
  double steps = 0.0;          // in a second of wall time
};

// The pace of the component's slowest rank, from `ready` to `finish`; `report` is the text of a report.json.
// Nothing if the report does not contain it, as for a run that did not finish.
std::optional<Pace> pace_of(const std::string& report, const std::string& component);

}  // namespace tailrace::telemetry
