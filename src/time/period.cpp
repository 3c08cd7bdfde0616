#include "time/period.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace tailrace::time {
namespace {

struct Unit {
  const char* name;
  PeriodKind kind;
  double factor;  // seconds, steps or months in one of it
};

// The first name of each unit is the one that messages and the documentation use.
constexpr std::array<Unit, 21> units{{
    {"step", PeriodKind::steps, 1},       {"steps", PeriodKind::steps, 1},
    {"s", PeriodKind::seconds, 1},        {"sec", PeriodKind::seconds, 1},
    {"second", PeriodKind::seconds, 1},   {"seconds", PeriodKind::seconds, 1},
    {"ms", PeriodKind::seconds, 1e-3},    {"min", PeriodKind::seconds, 60},
    {"minute", PeriodKind::seconds, 60},  {"minutes", PeriodKind::seconds, 60},
    {"h", PeriodKind::seconds, 3600},     {"hour", PeriodKind::seconds, 3600},
    {"hours", PeriodKind::seconds, 3600}, {"d", PeriodKind::seconds, 86400},
    {"day", PeriodKind::seconds, 86400},  {"days", PeriodKind::seconds, 86400},
    {"month", PeriodKind::months, 1},     {"months", PeriodKind::months, 1},
    {"year", PeriodKind::months, 12},     {"years", PeriodKind::months, 12},
    {"hr", PeriodKind::seconds, 3600},
}};

std::vector<std::string> main_units() { return {"steps", "ms", "s", "min", "h", "d", "months", "years"}; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw Error(
      ErrorCode::configuration,
      fmt::format(
          "\"{}\" is not a period: {}; expected a positive number and a unit, such as `10 s`, `5 steps` "
          "or `1 month`",
          text, why));
}

const Unit& unit_of(std::string_view text, std::string_view name) {
  for (const Unit& unit : units)
    if (name == unit.name) return unit;
  if (name.empty()) refuse(text, "the unit is missing");
  refuse(text, fmt::format("unit \"{}\" is unknown.{}", name, base::name_hint(name, main_units())));
}

double number_of(std::string_view text, std::string_view& rest) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) refuse(text, "it does not begin with a number");
  if (value <= 0.0) refuse(text, "the number is not positive");
  rest = trim(text.substr(static_cast<std::size_t>(end - text.data())));
  return value;
}

// The largest unit of which the length is a multiple: 21600 s is 6 h.
std::pair<double, const char*> natural(double seconds) {
  for (const auto& [size, name] : std::initializer_list<std::pair<double, const char*>>{
           {86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}})
    if (std::fmod(seconds, size) == 0.0) return {seconds / size, name};
  const double milliseconds = std::round(seconds * 1e3);
  if (milliseconds > 0 && milliseconds / 1e3 == seconds && seconds < 1.0) return {milliseconds, "ms"};
  return {seconds, "s"};
}

std::pair<std::int64_t, std::string> counted(std::int64_t count, const char* one) {
  return {count, count == 1 ? one : fmt::format("{}s", one)};
}

std::pair<std::int64_t, std::string> count_and_unit(PeriodKind kind, std::int64_t count) {
  if (kind == PeriodKind::steps) return counted(count, "step");
  return count % 12 == 0 ? counted(count / 12, "year") : counted(count, "month");
}

// CF: names hold letters, digits and underscores.
std::string name_of(PeriodKind kind, double seconds, std::int64_t count) {
  if (kind == PeriodKind::seconds) {
    const auto [number, unit] = natural(seconds);
    std::string text = fmt::format("{}{}", number, unit);
    for (char& letter : text)
      if (letter == '.' || letter == '-' || letter == '+') letter = 'p';
    return text;
  }
  const auto [number, unit] = count_and_unit(kind, count);
  return fmt::format("{}{}", number, unit);
}

// "10 s", "month" or "1 month", "3 months".
std::string length_of(PeriodKind kind, double seconds, std::int64_t count, bool with_one) {
  if (kind == PeriodKind::seconds) {
    const auto [number, unit] = natural(seconds);
    return fmt::format("{} {}", number, unit);
  }
  const auto [number, unit] = count_and_unit(kind, count);
  return number == 1 && !with_one ? std::string(unit) : fmt::format("{} {}", number, unit);
}

const char* by_kind(PeriodKind kind) {
  switch (kind) {
    case PeriodKind::seconds: return "a length of time such as `6 h`";
    case PeriodKind::steps: return "a number of steps such as `2 steps`";
    case PeriodKind::months: break;
  }
  return "months such as `-1 month`";
}

}  // namespace

Period Period::parse(std::string_view given) {
  const std::string_view text = trim(given);
  std::string_view rest;
  const double number = number_of(text, rest);
  const Unit& unit = unit_of(text, rest);
  if (unit.kind == PeriodKind::seconds) return of_seconds(number * unit.factor);
  const double count = number * unit.factor;
  if (count != std::floor(count) || count > 1e15)
    refuse(text, unit.kind == PeriodKind::steps ? "the number of steps must be whole"
                                                : "the number of months must be whole");
  const auto whole = static_cast<std::int64_t>(count);
  return unit.kind == PeriodKind::steps ? of_steps(whole) : of_months(whole);
}

Period Period::of_seconds(double seconds) {
  TAILRACE_ASSERT(seconds > 0.0 && std::isfinite(seconds), "a period is positive");
  Period period;
  period.kind_ = PeriodKind::seconds;
  period.seconds_ = seconds;
  period.count_ = 0;
  return period;
}

Period Period::of_steps(std::int64_t steps) {
  TAILRACE_ASSERT(steps > 0, "a period is positive");
  Period period;
  period.count_ = steps;
  return period;
}

Period Period::never() {
  Period period;
  period.count_ = std::numeric_limits<std::int64_t>::max();
  return period;
}

bool Period::is_never() const { return *this == never(); }

Period Period::of_months(std::int64_t months) {
  TAILRACE_ASSERT(months > 0, "a period is positive");
  Period period;
  period.kind_ = PeriodKind::months;
  period.count_ = months;
  return period;
}

Period Period::with_offset(std::string_view given) const {
  std::string_view text = trim(given);
  const bool back = text.starts_with('-');
  if (back || text.starts_with('+')) text = trim(text.substr(1));
  const Period by = parse(text);
  const std::string own = length_of(kind_, seconds_, count_, true);
  const std::string given_length = length_of(by.kind_, by.seconds_, by.count_, true);
  if (by.kind_ != kind_)
    throw Error(ErrorCode::configuration,
                fmt::format("a period of {} cannot have an offset of {}: expected {}", own, given_length,
                            by_kind(kind_)));
  if (kind_ == PeriodKind::seconds ? by.seconds_ >= seconds_ : by.count_ >= count_)
    throw Error(ErrorCode::configuration,
                fmt::format("expected an offset that is shorter than the period of {}, but got {}", own,
                            given_length));
  Period period = *this;
  period.offset_seconds_ = back ? -by.seconds_ : by.seconds_;
  period.offset_count_ = back ? -by.count_ : by.count_;
  return period;
}

std::string Period::name() const {
  if (is_never()) return "never";
  std::string text = name_of(kind_, seconds_, count_);
  if (has_offset())
    text += fmt::format("_{}_{}", offset_seconds_ < 0 || offset_count_ < 0 ? "minus" : "plus",
                        name_of(kind_, std::abs(offset_seconds_), std::abs(offset_count_)));
  return text;
}

std::string Period::sentence() const {
  if (is_never()) return "never";
  return has_offset() ? fmt::format("every {}, offset by {}", length(), offset())
                      : fmt::format("every {}", length());
}

std::string Period::length() const { return length_of(kind_, seconds_, count_, false); }

std::string Period::offset() const {
  if (!has_offset()) return {};
  const bool back = offset_seconds_ < 0 || offset_count_ < 0;
  return fmt::format("{}{}", back ? "-" : "",
                     length_of(kind_, std::abs(offset_seconds_), std::abs(offset_count_), true));
}

}  // namespace tailrace::time
