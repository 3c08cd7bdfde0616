// Notations of time in a configuration: periods, lengths of time, reductions.
#pragma once

#include <string_view>

#include "config/location.hpp"
#include "config/problems.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"
#include "time/accumulator.hpp"
#include "time/axis.hpp"
#include "time/period.hpp"

namespace tailrace::time {

config::Type period_type();           // 10 s, 5 steps, 1 month
config::Type period_or_never_type();  // the same; or `never`, which `0 steps` is too
config::Type sampling_type();         // the same; or `once`
config::Type duration_type();         // a length of time: 60 s, 5 min
config::Type duration_or_off_type();  // the same; or `off`

struct WrittenPeriod {
  Period period = Period::of_steps(1);
  config::Location location;  // line 0: not given, or it holds a `{name}` that is not filled in
};

// `once` is not a period: it reads as never().
WrittenPeriod period_of(const config::Value& section, std::string_view name);
bool is_once(const config::Value& section, std::string_view name);

// `offset` beside `every`.
config::Option offset_option();
// `every` with the offset of the section. Reports an offset that does not fit.
Period with_offset(const WrittenPeriod& every, const config::Value& section, config::Problems& problems);
// 0 for `off`.
double seconds_of(const config::Value& section, std::string_view name, double fallback);

// `each` of a variable: climatological windows.
struct ClimatologyPeriod {
  Period every = Period::of_months(1);
  Cycle cycle = Cycle::none;
  config::Location location;  // line 0: not given
};
config::Option each_option();
ClimatologyPeriod each_of(const config::Value& section);

config::Option reduction_option();  // `operation` of a variable
ReductionKind reduction_of(const config::Value& section);

}  // namespace tailrace::time
