#include "calendar/calendar.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace tailrace::calendar {
namespace {

constexpr std::int64_t day_seconds = 86400;

struct Named {
  const char* name;
  const char* cf_name;
  Rule rule;
};

constexpr std::array<Named, 10> calendars{{
    {"none", "standard", Rule::mixed},
    {"standard", "standard", Rule::mixed},
    {"gregorian", "standard", Rule::mixed},
    {"proleptic_gregorian", "proleptic_gregorian", Rule::gregorian},
    {"julian", "julian", Rule::julian},
    {"360_day", "360_day", Rule::days_360},
    {"noleap", "noleap", Rule::days_365},
    {"365_day", "noleap", Rule::days_365},
    {"all_leap", "all_leap", Rule::days_366},
    {"366_day", "all_leap", Rule::days_366},
}};

const Named* find(std::string_view name) {
  for (const Named& known : calendars)
    if (known.name == name) return &known;
  return nullptr;
}

[[noreturn]] void refuse(std::string_view calendar, const Date& start, const std::string& why) {
  throw Error(ErrorCode::configuration, fmt::format("start date {} does not exist in calendar {}: {}",
                                                    format_date(start), calendar, why));
}

void check_start(std::string_view calendar, Rule rule, const Date& start) {
  if (start.month < 1 || start.month > 12) refuse(calendar, start, "months count from 1 to 12");
  const int last = days_in_month(rule, start.year, start.month);
  if (start.day < 1 || start.day > last) refuse(calendar, start, fmt::format("that month has {} days", last));
  const Day day{start.year, start.month, start.day};
  if (left_out(rule, day)) refuse(calendar, start, "1582-10-04 is followed by 1582-10-15");
  if ((rule == Rule::mixed || rule == Rule::julian) && start.year < 1)
    refuse(calendar, start, "its first year is 1");
  const bool in_day = start.hour >= 0 && start.hour < 24 && start.minute >= 0 && start.minute < 60 &&
                      start.second >= 0.0 && start.second < 60.0;
  if (!in_day) refuse(calendar, start, "the time of day ends at 23:59:59.999");
}

// Whole seconds since day number 0.
std::int64_t whole_seconds(Rule rule, const Date& date) {
  return day_number(rule, {date.year, date.month, date.day}) * day_seconds + date.hour * 3600 +
         date.minute * 60 + static_cast<std::int64_t>(std::floor(date.second));
}

double fraction(double seconds) { return seconds - std::floor(seconds); }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

Calendar::Calendar(std::string_view name, const Date& start) : name_(name), start_(start) {
  const Named* known = find(name);
  if (known == nullptr)
    throw Error(ErrorCode::configuration,
                fmt::format("calendar \"{}\" is unknown.{}", name, base::name_hint(name, calendar_names())));
  if (name_ == "none" && !(start == Date{}))
    throw Error(
        ErrorCode::configuration,
        fmt::format("start date {} needs a calendar, such as `calendar: standard`", format_date(start)));
  rule_ = known->rule;
  check_start(name, rule_, start);
  start_seconds_ = whole_seconds(rule_, start);
  start_fraction_ = fraction(start.second);
}

bool Calendar::has_months() const { return name_ != "none"; }

double Calendar::seconds_of(const Date& date) const {
  const std::int64_t whole = whole_seconds(rule_, date) - start_seconds_;
  return static_cast<double>(whole) + (fraction(date.second) - start_fraction_);
}

Date Calendar::date_of(double seconds) const {
  const double below = std::floor(seconds);
  double rest = (seconds - below) + start_fraction_;
  std::int64_t whole = start_seconds_ + static_cast<std::int64_t>(below);
  if (rest >= 1.0) {
    rest -= 1.0;
    ++whole;
  }
  const std::int64_t number = floor_divide(whole, day_seconds);
  const auto second = static_cast<int>(whole - number * day_seconds);
  const Day day = day_of_number(rule_, number);
  return {day.year, day.month, day.day, second / 3600, second / 60 % 60, second % 60 + rest};
}

double Calendar::begin_of_month(std::int64_t months) const {
  TAILRACE_ASSERT(has_months(), "calendar none has no months");
  const std::int64_t year = floor_divide(months, 12);
  Date first;
  first.year = year;
  first.month = static_cast<int>(months - 12 * year) + 1;
  return seconds_of(first);
}

std::int64_t Calendar::month_at(double seconds) const {
  TAILRACE_ASSERT(has_months(), "calendar none has no months");
  const Date date = date_of(seconds);
  return date.year * 12 + date.month - 1;
}

std::string Calendar::units() const {
  std::string origin = format_date(start_);
  origin[origin.find('T')] = ' ';
  return "seconds since " + origin;
}

std::string Calendar::cf_name() const { return find(name_)->cf_name; }

std::vector<std::string> calendar_names() {
  std::vector<std::string> names;
  for (const Named& known : calendars) names.emplace_back(known.name);
  return names;
}

}  // namespace tailrace::calendar
