// The options `from` and `until` of a file: the part of the run that it covers.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "config/location.hpp"
#include "config/problems.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"

namespace tailrace::time {

// In seconds of model time; both ends are included.
struct Span {
  double from = -std::numeric_limits<double>::infinity();
  double until = std::numeric_limits<double>::infinity();
  bool operator==(const Span&) const = default;
};

// A date of the calendar, or a model time such as `6 h` if the calendar has no dates.
struct WrittenBound {
  std::string text;  // empty: not given, or it holds a `{name}` that is not filled in
  config::Location location;
};
struct WrittenSpan {
  WrittenBound from, until;
};

std::vector<config::Option> span_options();
WrittenSpan span_of(const config::Value& section);
// Throws Error(configuration) for a bound that the calendar does not have.
Span resolve(const WrittenSpan& span, const calendar::Calendar& calendar);
// Reports what resolve() would throw, and an end that is not after the beginning. `path`: of the section.
void check_span(const WrittenSpan& span, const calendar::Calendar& calendar, const std::string& path,
                config::Problems& problems);

}  // namespace tailrace::time
