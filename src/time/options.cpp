#include "time/options.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>

#include "config/read.hpp"
#include "tailrace/error.hpp"

namespace tailrace::time {
namespace {

using config::Type;
using config::Value;
using Complaint = std::optional<std::string>;

Complaint period_complaint(const std::string& text) {
  try {
    Period::parse(text);
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

constexpr std::string_view once = "once";

bool has_number(const std::string& text) { return text.find_first_of("0123456789") != std::string::npos; }

bool is_never(const std::string& text) { return text == "never" || text == "0 steps"; }

Complaint duration_complaint(const std::string& text, const std::string& expected) {
  Complaint complaint = period_complaint(text);
  if (!complaint && Period::parse(text).kind() != PeriodKind::seconds)
    return fmt::format("expected {}, but got \"{}\"", expected, text);
  return complaint;
}

}  // namespace

Type period_type() {
  return config::checked("a period such as `10 s`, `6 h`, `5 steps` or `1 month`", period_complaint);
}

Type period_or_never_type() {
  return config::checked(
      "a period such as `10 s`, `6 h`, `5 steps` or `1 month`, or `never`",
      [](const std::string& text) { return is_never(text) ? std::nullopt : period_complaint(text); });
}

Type sampling_type() {
  return config::checked("a period such as `10 s`, `6 h`, `5 steps` or `1 month`, `once` or `never`",
                         [](const std::string& text) {
                           if (is_never(text) || text == once) return Complaint();
                           Complaint complaint = period_complaint(text);
                           if (complaint && !has_number(text)) *complaint += ", or `once` or `never`";
                           return complaint;
                         });
}

Type duration_type() {
  const std::string expected = "a length of time such as `60 s` or `5 min`";
  return config::checked(expected,
                         [=](const std::string& text) { return duration_complaint(text, expected); });
}

Type duration_or_off_type() {
  const std::string expected = "a length of time such as `60 s` or `5 min`, or `off`";
  return config::checked(expected, [=](const std::string& text) {
    return text == "off" ? std::nullopt : duration_complaint(text, expected);
  });
}

WrittenPeriod period_of(const Value& section, std::string_view name) {
  const Value* value = section.find(name);
  if (value == nullptr || value->open()) return {};
  const bool never = is_never(value->text()) || value->text() == once;
  return {.period = never ? Period::never() : Period::parse(value->text()), .location = value->location()};
}

bool is_once(const Value& section, std::string_view name) {
  const Value* value = section.find(name);
  return value != nullptr && value->text() == once;
}

config::Option offset_option() {
  return {.name = "offset",
          .type = config::checked("an offset such as `-1 month`, `6 h` or `2 steps`",
                                  [](const std::string& text) {
                                    const auto digits = text.find_first_not_of("+- ");
                                    return period_complaint(
                                        digits == std::string::npos ? text : text.substr(digits));
                                  }),
          .description =
              "How far the records lie behind the multiples of the period, or before them: `every: 3 months` "
              "with "
              "`-1 month` gives December to February, March to May, ...",
          .example = "-1 month",
          .belongs_to = "every"};
}

Period with_offset(const WrittenPeriod& every, const Value& section, config::Problems& problems) {
  const Value* offset = section.find("offset");
  if (offset == nullptr || offset->open() || every.location.line == 0) return every.period;
  Period period = every.period;
  config::report(*offset, problems, [&] { period = every.period.with_offset(offset->text()); });
  return period;
}

double seconds_of(const Value& section, std::string_view name, double fallback) {
  const Value* value = section.find(name);
  if (value == nullptr || value->open()) return fallback;
  return value->text() == "off" ? 0.0 : Period::parse(value->text()).seconds();
}

config::Option each_option() {
  return {.name = "each",
          .type = config::choice({"month", "season", "hour of day"}),
          .description =
              "In place of `every`: one record for each month of the year, season (from December on) or hour "
              "of the day, made of all samples of the run that lie in it. They come when the run ends.",
          .example = "month"};
}

ClimatologyPeriod each_of(const Value& section) {
  const Value* value = section.find("each");
  if (value == nullptr || value->open()) return {};
  ClimatologyPeriod each{.every = Period::of_months(1), .cycle = Cycle::year, .location = value->location()};
  if (value->text() == "season") {
    each.every = Period::of_months(3).with_offset("-1 month");
  } else if (value->text() == "hour of day") {
    each.every = Period::of_seconds(3600.0);
    each.cycle = Cycle::day;
  }
  return each;
}

config::Option reduction_option() {
  return {.name = "operation",
          .type = config::choice(reduction_names()),
          .description =
              "How the samples of a period become one record; `valid_fraction` is the share of the time for "
              "which a "
              "cell has a value that is not missing.",
          .example = "mean",
          .default_value = "snapshot",
          .aliases = {"time"}};
}

ReductionKind reduction_of(const Value& section) {
  return find_reduction(config::text_of(section, "operation")).value_or(ReductionKind::snapshot);
}

}  // namespace tailrace::time
