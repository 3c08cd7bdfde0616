// The operation over time that `cell_methods` of a table describes, and the period of its `frequency`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "time/accumulator.hpp"
#include "time/axis.hpp"
#include "time/period.hpp"

namespace tailrace::mip_tables {

struct TimeMethod {
  std::optional<time::ReductionKind> operation;  // none: time is not mentioned
  time::Cycle cycle = time::Cycle::none;         // `within years ... over years`
  std::string unsupported;                       // the clauses of time that no operation gives
};

// Examples: `area: mean time: maximum`, `area: time: mean where sea_ice (comment: mask=siconc)`, `time: mean
// within years time: mean over years`.
TimeMethod time_method_of(std::string_view cell_methods);

struct TableFrequency {
  std::optional<time::Period> every;  // none: the text gives no period
  time::Cycle cycle = time::Cycle::none;
};
TableFrequency frequency_of(std::string_view frequency);  // `mon`, `6hrPt`, `monC`

}  // namespace tailrace::mip_tables
