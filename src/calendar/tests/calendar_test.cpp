#include "calendar/calendar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace tailrace::calendar {
namespace {

using testing::HasSubstr;

Calendar make(std::string_view name) { return Calendar(name, parse_date("2000-02-28T06:00:00")); }

std::string message(std::string_view name, std::string_view start) {
  try {
    Calendar(name, parse_date(start));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "";
}

TEST(Calendar, agrees_with_cftime) {
  std::ifstream table(TAILRACE_CALENDAR_TABLES "/dates.csv");
  std::string line;
  int rows = 0;
  for (; std::getline(table, line); ++rows) {
    std::istringstream cells(line);
    std::string name, start, date, seconds;
    std::getline(cells, name, ',');
    std::getline(cells, start, ',');
    std::getline(cells, date, ',');
    std::getline(cells, seconds, ',');
    const Calendar calendar(name, parse_date(start));
    EXPECT_EQ(calendar.seconds_of(parse_date(date)), std::stod(seconds)) << line;
    EXPECT_EQ(format_date(calendar.date_of(std::stod(seconds))), date) << line;
  }
  EXPECT_GT(rows, 300);
}

TEST(Calendar, goes_through_every_day_of_every_rule) {
  for (const std::string& name : calendar_names()) {
    if (name == "none") continue;
    const Calendar calendar(name, parse_date("1501-01-01"));
    Date before = calendar.date_of(0.0);
    for (int day = 1; day < 160 * 366; ++day) {
      const Date date = calendar.date_of(86400.0 * day);
      ASSERT_EQ(calendar.seconds_of(date), 86400.0 * day) << name;
      const bool same_month = date.year == before.year && date.month == before.month;
      const bool reform = date == parse_date("1582-10-15");
      if (same_month && !reform) {
        ASSERT_EQ(date.day, before.day + 1) << name << " " << format_date(date);
      }
      if (!same_month) {
        ASSERT_EQ(date.day, 1) << name;
        ASSERT_EQ(calendar.month_at(86400.0 * day), calendar.month_at(86400.0 * (day - 1)) + 1);
        ASSERT_EQ(calendar.begin_of_month(calendar.month_at(86400.0 * day)), 86400.0 * day);
      }
      before = date;
    }
  }
}

TEST(Calendar, keeps_the_time_of_day_and_fractions) {
  const Calendar calendar("standard", parse_date("2026-01-01T23:59:59.75"));
  EXPECT_EQ(format_date(calendar.date_of(0.5)), "2026-01-02T00:00:00.25");
  EXPECT_EQ(format_date(calendar.date_of(-0.5)), "2026-01-01T23:59:59.25");
  EXPECT_EQ(calendar.seconds_of(parse_date("2026-01-02T00:00:00.25")), 0.5);
  EXPECT_EQ(format_date(calendar.date_of(0.0)), "2026-01-01T23:59:59.75");
}

TEST(Calendar, knows_where_months_begin) {
  const Calendar calendar("standard", parse_date("2000-01-31"));
  const std::int64_t january = 2000 * 12;
  EXPECT_EQ(calendar.month_at(0.0), january);
  EXPECT_EQ(calendar.begin_of_month(january), -30 * 86400.0);
  EXPECT_EQ(calendar.begin_of_month(january + 1), 86400.0);
  EXPECT_EQ(calendar.begin_of_month(january + 2), 30 * 86400.0);
  EXPECT_EQ(calendar.month_at(86400.0), january + 1);
  EXPECT_EQ(calendar.month_at(std::nextafter(86400.0, 0.0)), january);
  EXPECT_EQ(Calendar("360_day", parse_date("2000-01-01")).begin_of_month(january + 12), 360 * 86400.0);
}

TEST(Calendar, leap_days_follow_the_rule) {
  const auto next_day = [](std::string_view name) { return format_date(make(name).date_of(86400.0)); };
  EXPECT_EQ(next_day("standard"), "2000-02-29T06:00:00");
  EXPECT_EQ(next_day("365_day"), "2000-03-01T06:00:00");
  EXPECT_EQ(next_day("366_day"), "2000-02-29T06:00:00");
  EXPECT_EQ(next_day("360_day"), "2000-02-29T06:00:00");
  EXPECT_EQ(format_date(Calendar("360_day", parse_date("2001-02-30")).date_of(86400.0)),
            "2001-03-01T00:00:00");
}

TEST(Calendar, gives_the_cf_attributes) {
  EXPECT_EQ(Calendar("365_day", parse_date("2026-01-01T06:30:00")).units(),
            "seconds since 2026-01-01 06:30:00");
  EXPECT_EQ(Calendar("365_day").cf_name(), "noleap");
  EXPECT_EQ(Calendar("366_day").cf_name(), "all_leap");
  EXPECT_EQ(Calendar("gregorian").cf_name(), "standard");
  EXPECT_EQ(Calendar("julian").cf_name(), "julian");
}

TEST(Calendar, none_has_seconds_only) {
  const Calendar none;
  EXPECT_FALSE(none.has_months());
  EXPECT_TRUE(Calendar("standard").has_months());
  EXPECT_EQ(none.units(), "seconds since 2000-01-01 00:00:00");
  EXPECT_EQ(none.cf_name(), "standard");
  EXPECT_THROW(none.begin_of_month(0), Error);
  EXPECT_THROW(none.month_at(0.0), Error);
  EXPECT_THAT(message("none", "2026-01-01"), HasSubstr("start date 2026-01-01T00:00:00 needs a calendar"));
}

TEST(Calendar, refuses_names_and_dates_it_does_not_have) {
  EXPECT_THAT(message("gregorain", "2000-01-01"),
              HasSubstr("calendar \"gregorain\" is unknown. Did you mean \"gregorian\"? (known: 360_day,"));
  EXPECT_EQ(message("noleap", "2000-02-29"),
            "start date 2000-02-29T00:00:00 does not exist in calendar noleap: that month has 28 days");
  EXPECT_THAT(message("360_day", "2000-01-31"), HasSubstr("that month has 30 days"));
  EXPECT_THAT(message("standard", "1900-02-29"), HasSubstr("that month has 28 days"));
  EXPECT_EQ(message("julian", "1900-02-29"), "");
  EXPECT_THAT(message("standard", "1582-10-10"), HasSubstr("1582-10-04 is followed by 1582-10-15"));
  EXPECT_EQ(message("proleptic_gregorian", "1582-10-10"), "");
  EXPECT_THAT(message("standard", "0000-01-01"), HasSubstr("its first year is 1"));
  EXPECT_EQ(message("noleap", "0000-01-01"), "");
}

TEST(ParseDate, reads_iso_8601) {
  EXPECT_EQ(parse_date("2026-01-31"), (Date{2026, 1, 31, 0, 0, 0.0}));
  EXPECT_EQ(parse_date("2026-01-31T06:30"), (Date{2026, 1, 31, 6, 30, 0.0}));
  EXPECT_EQ(parse_date("2026-01-31 06:30:05.125Z"), (Date{2026, 1, 31, 6, 30, 5.125}));
  EXPECT_EQ(parse_date("-0001-12-01").year, -1);
  EXPECT_EQ(format_date(parse_date("0850-01-31T06:30:00.001")), "0850-01-31T06:30:00.001");
}

TEST(ParseDate, refuses_what_is_not_a_date) {
  for (const char* text :
       {"", "2026", "2026-1-1", "2026-13-01", "2026-01-32", "2026-01-01T24:00:00", "2026-01-01T06",
        "2026-01-01T06:30:60", "2026-01-01T06:30:00+01:00", "2026-01-01x", "01.02.2026", "2026-01-01T"})
    EXPECT_THROW(parse_date(text), Error) << text;
  try {
    parse_date("tomorrow");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "\"tomorrow\" is not a date; expected one such as 2026-01-31 or 2026-01-31T06:30:00");
  }
}

}  // namespace
}  // namespace tailrace::calendar
