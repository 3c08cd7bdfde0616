// How fast a model ran, by its report.
#pragma once

#include <optional>
#include <string>

namespace tailrace::telemetry {

struct Pace {
  double model_seconds = 0.0;  // in a second of wall clock
  double steps = 0.0;          // in a second of wall clock
};

// Of the component's slowest rank, from `ready` to `finish`; `report` is the text of a report.json. Nothing
// where it does not tell, as that of a run that did not end.
std::optional<Pace> pace_of(const std::string& report, const std::string& component);

}  // namespace tailrace::telemetry
