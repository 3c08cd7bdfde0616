#include "calendar/days.hpp"

#include <array>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::calendar {
namespace {

constexpr std::int64_t first_gregorian_day = 2299161;  // Julian day number of 1582-10-15

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
std::int64_t floor_modulo(std::int64_t a, std::int64_t b) { return a - b * floor_divide(a, b); }

// Years are counted from March of -4800, so that the leap day is the last of its year. E. G. Richards,
// "Calendars", in Explanatory Supplement to the Astronomical Almanac, 3rd ed. (2013), chapter 15.
std::int64_t julian_day_number(const Day& day, bool gregorian) {
  const std::int64_t before_march = day.month <= 2 ? 1 : 0;
  const std::int64_t y = day.year + 4800 - before_march;
  const std::int64_t m = day.month + 12 * before_march - 3;
  const std::int64_t days = day.day + (153 * m + 2) / 5 + 365 * y + floor_divide(y, 4);
  return gregorian ? days - floor_divide(y, 100) + floor_divide(y, 400) - 32045 : days - 32083;
}

Day day_of_julian_number(std::int64_t number, bool gregorian) {
  std::int64_t f = number + 1401;
  if (gregorian) f += floor_divide(floor_divide(4 * number + 274277, 146097) * 3, 4) - 38;
  const std::int64_t e = 4 * f + 3;
  const std::int64_t h = 5 * (floor_modulo(e, 1461) / 4) + 2;
  const std::int64_t month = (h / 153 + 2) % 12 + 1;
  return {floor_divide(e, 1461) - 4716 + (14 - month) / 12, static_cast<int>(month),
          static_cast<int>(h % 153 / 5 + 1)};
}

constexpr std::array<int, 12> lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

bool gregorian_leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

bool leap(Rule rule, std::int64_t year) {
  switch (rule) {
    case Rule::mixed: return year > 1582 ? gregorian_leap(year) : year % 4 == 0;
    case Rule::gregorian: return gregorian_leap(year);
    case Rule::julian: return year % 4 == 0;
    case Rule::days_366: return true;
    case Rule::days_360:
    case Rule::days_365: return false;
  }
  base::assertion_failed("rule", __FILE__, __LINE__, "unknown calendar rule");
}

int length_of(Rule rule, std::int64_t year, int month) {
  if (rule == Rule::days_360) return 30;
  return lengths[base::index(month - 1)] + (month == 2 && leap(rule, year) ? 1 : 0);
}

int days_a_year(Rule rule) { return rule == Rule::days_360 ? 360 : rule == Rule::days_365 ? 365 : 366; }

std::int64_t equal_years_number(Rule rule, const Day& day) {
  std::int64_t number = day.year * days_a_year(rule) + day.day - 1;
  for (int month = 1; month < day.month; ++month) number += length_of(rule, day.year, month);
  return number;
}

Day day_of_equal_years(Rule rule, std::int64_t number) {
  Day day{floor_divide(number, days_a_year(rule)), 1, 1};
  auto rest = static_cast<int>(floor_modulo(number, days_a_year(rule)));
  for (; rest >= length_of(rule, day.year, day.month); ++day.month)
    rest -= length_of(rule, day.year, day.month);
  day.day = rest + 1;
  return day;
}

bool after_reform(const Day& day) {
  if (day.year != 1582) return day.year > 1582;
  return day.month != 10 ? day.month > 10 : day.day >= 15;
}

}  // namespace

std::int64_t day_number(Rule rule, const Day& day) {
  switch (rule) {
    case Rule::mixed: return julian_day_number(day, after_reform(day));
    case Rule::gregorian: return julian_day_number(day, true);
    case Rule::julian: return julian_day_number(day, false);
    default: return equal_years_number(rule, day);
  }
}

Day day_of_number(Rule rule, std::int64_t number) {
  switch (rule) {
    case Rule::mixed: return day_of_julian_number(number, number >= first_gregorian_day);
    case Rule::gregorian: return day_of_julian_number(number, true);
    case Rule::julian: return day_of_julian_number(number, false);
    default: return day_of_equal_years(rule, number);
  }
}

int days_in_month(Rule rule, std::int64_t year, int month) { return length_of(rule, year, month); }

bool left_out(Rule rule, const Day& day) {
  return rule == Rule::mixed && day.year == 1582 && day.month == 10 && day.day >= 5 && day.day <= 14;
}

}  // namespace tailrace::calendar
