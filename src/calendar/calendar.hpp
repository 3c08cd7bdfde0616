// CF calendars: dates to seconds and back. Pure arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calendar/days.hpp"

namespace tailrace::calendar {

struct Date {
  std::int64_t year = 2000;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  double second = 0.0;
  bool operator==(const Date&) const = default;
};

// Model time counts seconds since the run's start date. Days have 86400 seconds; there are no leap seconds.
// Whole seconds are computed in integers, so times are exact up to 2^53 seconds.
class Calendar {
 public:
  // Names as in CF 4.4.1: none, standard, gregorian, proleptic_gregorian, julian, 360_day, noleap, 365_day,
  // all_leap, 366_day. Throws Error(configuration) for an unknown name, with the nearest one, and for a start
  // date that the calendar does not have. `none` is for idealised runs: it has no dates, no months and no
  // start date.
  explicit Calendar(std::string_view name = "none", const Date& start = {});

  const std::string& name() const { return name_; }
  const Date& start() const { return start_; }
  Rule rule() const { return rule_; }
  bool has_months() const;                    // false for `none`
  double seconds_of(const Date& date) const;  // since the start
  Date date_of(double seconds) const;
  // Seconds from the start to the begin of the month that is `months` after January of year 0. REQUIRES:
  // has_months().
  double begin_of_month(std::int64_t months) const;
  std::int64_t month_at(double seconds) const;  // the inverse: months since January of year 0
  std::string units() const;                    // CF time units: "seconds since 2026-01-01 00:00:00"
  std::string cf_name() const;                  // value of the calendar attribute

 private:
  std::string name_;
  Date start_;
  Rule rule_ = Rule::mixed;
  std::int64_t start_seconds_ = 0;  // whole seconds from day number 0 to the start
  double start_fraction_ = 0.0;     // the rest, in [0, 1)
};

// ISO 8601: 2026-01-01, 2026-01-01T06:30, 2026-01-01 06:30:00.25Z; throws Error(configuration). It does not
// check that the day exists: that depends on the calendar.
Date parse_date(std::string_view text);
std::string format_date(const Date& date);  // 2026-01-01T06:30:00
std::vector<std::string> calendar_names();

}  // namespace tailrace::calendar
