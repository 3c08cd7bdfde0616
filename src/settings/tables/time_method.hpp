// What `cell_methods` says of time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "time/accumulator.hpp"
#include "time/axis.hpp"
#include "time/period.hpp"

namespace tailrace::settings {

struct TimeMethod {
  std::optional<time::ReductionKind> operation;  // none: nothing is said of time
  time::Cycle cycle = time::Cycle::none;         // `within years ... over years`
  // Said of time in words that no one operation gives; as they stand there.
  std::string beyond;
};

// `area: mean time: maximum`, `area: time: mean where sea_ice (comment: mask=siconc)`, `time: mean within
// years time: mean over years`.
TimeMethod time_method_of(std::string_view cell_methods);

// `mon`, `6hrPt`, `monC`: how often.
struct TableFrequency {
  std::optional<time::Period> every;  // none: it is not said
  time::Cycle cycle = time::Cycle::none;
};
TableFrequency frequency_of(std::string_view frequency);

}  // namespace tailrace::settings
