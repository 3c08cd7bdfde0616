#include "calendar/file_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "calendar/scanner.hpp"

namespace tailrace::calendar {
namespace {

constexpr double day_length = 86400.0;

struct Unit {
  double seconds = 0.0;
  int months = 0;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The names that UDUNITS and cftime know, and their plurals.
std::optional<Unit> unit_of(std::string_view text) {
  static const std::map<std::string, Unit, std::less<>> units{
      {"us", {1e-6}},        {"microsec", {1e-6}},       {"microsecond", {1e-6}}, {"ms", {1e-3}},
      {"msec", {1e-3}},      {"millisec", {1e-3}},       {"millisecond", {1e-3}}, {"s", {1.0}},
      {"sec", {1.0}},        {"second", {1.0}},          {"min", {60.0}},         {"minute", {60.0}},
      {"h", {3600.0}},       {"hr", {3600.0}},           {"hour", {3600.0}},      {"d", {day_length}},
      {"day", {day_length}}, {"week", {7 * day_length}}, {"month", {0.0, 1}},     {"year", {0.0, 12}}};
  std::string name = lower(text);
  if (const auto found = units.find(name); found != units.end()) return found->second;
  if (name.size() < 3 || name.back() != 's') return std::nullopt;
  name.pop_back();
  const auto found = units.find(name);
  return found == units.end() ? std::nullopt : std::optional(found->second);
}

struct Reference {
  Day day{1, 1, 1};
  double second = 0.0;
};

void skip_blanks(Scanner& scan) {
  while (scan.accept(' ')) {
  }
}

// "06", "6:30", "06:30:15.5": seconds
double scan_clock(Scanner& scan) {
  double seconds = 3600.0 * static_cast<double>(scan.number(1, 2));
  if (!scan.accept(':')) return seconds;
  seconds += 60.0 * static_cast<double>(scan.number(1, 2));
  if (!scan.accept(':')) return seconds;
  const auto whole = static_cast<int>(scan.number(1, 2));
  return seconds +
         (scan.accept('.') && !scan.rest.empty() && scan.rest.front() != ' ' ? scan.decimals(whole) : whole);
}

bool accept_word(Scanner& scan, std::string_view word) {
  if (lower(scan.rest.substr(0, word.size())) != word) return false;
  scan.rest.remove_prefix(word.size());
  return true;
}

// A time zone: its distance from UTC in seconds.
double scan_zone(Scanner& scan) {
  skip_blanks(scan);
  if (accept_word(scan, "utc") || accept_word(scan, "gmt") || accept_word(scan, "z")) return 0.0;
  const bool west = scan.accept('-');
  if (!west && !scan.accept('+')) return 0.0;
  double distance = 3600.0 * static_cast<double>(scan.number(1, 2));
  if (scan.accept(':') || !scan.rest.empty()) distance += 60.0 * static_cast<double>(scan.number(2, 2));
  return west ? -distance : distance;
}

// Dates as UDUNITS reads them: one digit is enough, and parts at the end may be missing.
std::optional<Reference> reference_of(std::string_view text) {
  Scanner scan{trimmed(text)};
  Reference reference;
  const bool negative = scan.accept('-');
  reference.day.year = scan.number(1, 6) * (negative ? -1 : 1);
  if (scan.accept('-')) {
    reference.day.month = static_cast<int>(scan.number(1, 2));
    if (scan.accept('-')) reference.day.day = static_cast<int>(scan.number(1, 2));
  }
  if (!scan.accept('T')) skip_blanks(scan);
  if (!scan.rest.empty() && std::isdigit(static_cast<unsigned char>(scan.rest.front())))
    reference.second = scan_clock(scan);
  reference.second -= scan_zone(scan);
  skip_blanks(scan);
  const bool whole = scan.good && scan.rest.empty() && reference.second <= 2 * day_length;
  return whole ? std::optional(reference) : std::nullopt;
}

bool exists(Rule rule, const Day& day) {
  return day.month >= 1 && day.month <= 12 && day.day >= 1 &&
         day.day <= days_in_month(rule, day.year, day.month) && !left_out(rule, day);
}

Rule rule_of(std::string_view calendar) {
  const std::string name = calendar.empty() ? "standard" : lower(trimmed(calendar));
  const auto known = calendar_names();
  if (std::ranges::find(known, name) == known.end())
    throw Error(ErrorCode::resource,
                fmt::format("the calendar \"{}\" is unknown.{}", calendar, base::name_hint(name, known)));
  return Calendar(name).rule();
}

[[noreturn]] void refuse_units(std::string_view units) {
  throw Error(
      ErrorCode::resource,
      fmt::format("the units \"{}\" are not of time; expected such as \"days since 2026-01-01\"", units));
}

}  // namespace

FileTime::FileTime(std::string_view units, std::string_view calendar, const Calendar& model)
    : model_(model), rule_(rule_of(calendar)) {
  const auto since = lower(units).find(" since ");
  const auto unit = unit_of(trimmed(units.substr(0, since)));
  if (!unit) refuse_units(units);
  unit_seconds_ = unit->seconds;
  unit_months_ = unit->months;
  has_date_ = since != std::string::npos && !(units == model.units() && rule_ == model.rule());
  if (since == std::string::npos && unit_months_ > 0) refuse_units(units);
  if (!has_date_) return;
  const auto reference = reference_of(units.substr(since + 7));
  if (!reference || !exists(rule_, reference->day))
    throw Error(ErrorCode::resource,
                fmt::format("\"{}\" in the units \"{}\" is not a date of the calendar {}; expected such as "
                            "2026-01-31 06:30:00",
                            trimmed(units.substr(since + 7)), units,
                            calendar.empty() ? "standard" : std::string(calendar)));
  if (!model.has_months())
    throw Error(
        ErrorCode::resource,
        fmt::format("the units are \"{}\", but `model_time.calendar` is none, so that model time has no "
                    "dates; expected \"{}\"",
                    units, model.units()));
  reference_ = reference->day;
  reference_second_ = reference->second;
}

FileTime::Instant FileTime::after_months(double months) const {
  const double whole = std::floor(months);
  const std::int64_t month = reference_.year * 12 + reference_.month - 1 + static_cast<std::int64_t>(whole);
  Day day{month >= 0 ? month / 12 : -((11 - month) / 12), 1, 1};
  day.month = static_cast<int>(month - 12 * day.year) + 1;
  const int length = days_in_month(rule_, day.year, day.month);
  day.day = std::min(reference_.day, length);
  const double second = reference_second_ + (months - whole) * length * day_length;
  const double days = std::floor(second / day_length);
  return {day_number(rule_, day) + static_cast<std::int64_t>(days), second - days * day_length};
}

FileTime::Instant FileTime::instant(double value) const {
  if (unit_months_ > 0) return after_months(value * unit_months_);
  const double second = value * unit_seconds_;
  const double days = std::floor(second / day_length);
  Instant at{day_number(rule_, reference_) + static_cast<std::int64_t>(days),
             second - days * day_length + reference_second_};
  const double more = std::floor(at.second / day_length);
  at.day += static_cast<std::int64_t>(more);
  at.second -= more * day_length;
  return at;
}

std::optional<double> FileTime::seconds(double value) const {
  if (!has_date_) return value * unit_seconds_;
  const Instant at = instant(value);
  const Day day = day_of_number(rule_, at.day);
  if (rule_ != model_.rule() && !exists(model_.rule(), day)) return std::nullopt;
  return model_.seconds_of({day.year, day.month, day.day, 0, 0, 0.0}) + at.second;
}

}  // namespace tailrace::calendar
