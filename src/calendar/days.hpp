// Day numbers: the arithmetic of calendars, in integers.
#pragma once

#include <cstdint>

namespace tailrace::calendar {

enum class Rule : std::uint8_t { mixed, gregorian, julian, days_360, days_365, days_366 };

struct Day {
  std::int64_t year = 2000;
  int month = 1;
  int day = 1;
};

// Days since a fixed day, which depends on the rule (the result is the Julian day number for mixed, gregorian
// and julian). Years are astronomical: year 0 precedes year 1. A day beyond the end of its month counts into
// the next month, so check days_in_month first.
std::int64_t day_number(Rule rule, const Day& day);
Day day_of_number(Rule rule, std::int64_t number);
int days_in_month(Rule rule, std::int64_t year, int month);  // the number of its last day
// Whether the reform of 1582 omitted this day: true for 5 to 14 October 1582 in `mixed`.
bool left_out(Rule rule, const Day& day);

}  // namespace tailrace::calendar
