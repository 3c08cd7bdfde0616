#include "time/span.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"
#include "time/period.hpp"

namespace tailrace::time {
namespace {

bool is_date(const std::string& text) {
  try {
    calendar::parse_date(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::optional<double> length(const std::string& text) {
  try {
    const Period period = Period::parse(text);
    return period.kind() == PeriodKind::seconds ? std::optional(period.seconds()) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

config::Type bound_type() {
  const std::string expected =
      "a date such as `2026-03-01` or `2026-03-01T06:00:00`, or, without a calendar, a model time such as `6 "
      "h`";
  return config::checked(expected, [expected](const std::string& text) -> std::optional<std::string> {
    if (is_date(text) || length(text)) return std::nullopt;
    return fmt::format("expected {}, but got \"{}\"", expected, text);
  });
}

double seconds_of(const std::string& text, const calendar::Calendar& calendar) {
  if (calendar.has_months()) {
    if (!is_date(text))
      throw Error(ErrorCode::configuration,
                  fmt::format("expected a date, since the run has the calendar {}, but got \"{}\"",
                              calendar.name(), text));
    const calendar::Date date = calendar::parse_date(text);
    calendar::Calendar(calendar.name(), date);  // throws for a day that it does not have
    return calendar.seconds_of(date);
  }
  const std::optional<double> seconds = length(text);
  if (!seconds)
    throw Error(
        ErrorCode::configuration,
        fmt::format(
            "\"{}\" is a date, and `model_time.calendar` is none; expected a model time such as `6 h`",
            text));
  return *seconds;
}

WrittenBound bound_of(const config::Value& section, std::string_view name) {
  const config::Value* value = section.find(name);
  if (value == nullptr || value->open()) return {};
  return {.text = value->text(), .location = value->location()};
}

std::optional<double> check_bound(const WrittenBound& bound, const calendar::Calendar& calendar,
                                  const std::string& path, config::Problems& problems) {
  if (bound.text.empty()) return std::nullopt;
  try {
    return seconds_of(bound.text, calendar);
  } catch (const Error& error) {
    problems.add(bound.location, path, error.what());
    return std::nullopt;
  }
}

}  // namespace

std::vector<config::Option> span_options() {
  return {
      {.name = "from",
       .type = bound_type(),
       .description =
           "Where in model time the file begins: no record is earlier, and a window that began before is cut "
           "there.",
       .example = "2026-03-01"},
      {.name = "until",
       .type = bound_type(),
       .description =
           "Where in model time the file ends: no record is later, and the window that is open then is cut "
           "there.",
       .example = "2026-06-01"},
  };
}

WrittenSpan span_of(const config::Value& section) {
  return {.from = bound_of(section, "from"), .until = bound_of(section, "until")};
}

Span resolve(const WrittenSpan& span, const calendar::Calendar& calendar) {
  Span resolved;
  if (!span.from.text.empty()) resolved.from = seconds_of(span.from.text, calendar);
  if (!span.until.text.empty()) resolved.until = seconds_of(span.until.text, calendar);
  return resolved;
}

void check_span(const WrittenSpan& span, const calendar::Calendar& calendar, const std::string& path,
                config::Problems& problems) {
  const auto from = check_bound(span.from, calendar, path + ".from", problems);
  const auto until = check_bound(span.until, calendar, path + ".until", problems);
  if (from && until && *until <= *from)
    problems.add(span.until.location, path + ".until",
                 fmt::format("expected a time after `from`, which is {}, but got {}", span.from.text,
                             span.until.text));
}

}  // namespace tailrace::time
