#include "calendar/file_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace tailrace::calendar {
namespace {

using testing::HasSubstr;

std::optional<double> convert(std::string_view units, std::string_view calendar, double value,
                              const Calendar& model) {
  return FileTime(units, calendar, model).seconds(value);
}

std::string refusal(std::string_view units, std::string_view calendar, const Calendar& model) {
  try {
    FileTime(units, calendar, model);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    return error.what();
  }
  return "";
}

TEST(FileTime, agrees_with_cftime) {
  std::ifstream table(TAILRACE_CALENDAR_TABLES "/file_times.csv");
  int rows = 0;
  for (std::string line; std::getline(table, line); ++rows) {
    std::istringstream cells(line);
    std::string units, file, value, model, start, seconds;
    for (std::string* cell : {&units, &file, &value, &model, &start, &seconds})
      std::getline(cells, *cell, ',');
    const auto got = convert(units, file, std::stod(value), Calendar(model, parse_date(start)));
    ASSERT_EQ(got.has_value(), seconds != "none") << line;
    if (got) {
      EXPECT_NEAR(*got, std::stod(seconds), 2e-5) << line;  // cftime has microseconds
    }
  }
  EXPECT_GT(rows, 500);
}

TEST(FileTime, counts_calendar_months) {
  const Calendar model("standard", parse_date("2001-01-01"));
  const FileTime months("months since 2001-01-01", "standard", model);
  const double day = 86400.0;
  EXPECT_EQ(months.seconds(1), 31 * day);
  EXPECT_EQ(months.seconds(1.5), (31 + 14) * day);
  EXPECT_EQ(months.seconds(2), (31 + 28) * day);
  EXPECT_EQ(months.seconds(-1), -31 * day);
  EXPECT_EQ(months.seconds(37), (3 * 365 + 1 + 30) * day)
      << "1 February 2004 is day 31 of a year after 2001-2003";
  EXPECT_EQ(convert("months since 2001-01-31", "", 1, model), 58 * day) << "28 February";
  EXPECT_EQ(convert("years since 2001-01-01", "", 3, model), 3 * 365 * day);
}

TEST(FileTime, a_day_that_the_model_lacks_has_no_time) {
  const Calendar model("noleap", parse_date("2000-01-01"));
  const FileTime file("days since 2000-02-28", "standard", model);
  EXPECT_EQ(file.seconds(0), 58 * 86400.0);
  EXPECT_EQ(file.seconds(1.25), std::nullopt);
  EXPECT_EQ(file.seconds(2), 59 * 86400.0) << "1 March";
}

TEST(FileTime, reads_the_dates_of_many_programs) {
  const Calendar model("standard", parse_date("1999-12-31"));
  for (const char* units :
       {"days since 1999-12-31", "days since 1999-12-31 00:00:00", "DAYS since 1999-12-31T00:00:00Z",
        "day since 1999-12-31 0:0:0.0", "d since 1999-12-31 00:00", " days  since  1999-12-31 00",
        "days since "
        "1999-12-31 00:00:00 UTC",
        "days since 1999-12-31 02:30:00 +2:30", "days since 1999-12-30 22:00 -02:00"})
    EXPECT_EQ(convert(units, "gregorian", 1.5, model), 129600.0) << units;
  EXPECT_EQ(convert("days since 0000-01-01", "standard", 0, Calendar("standard", parse_date("0001-01-01"))),
            -366 * 86400.0)
      << "the year 0 of climatologies";
}

TEST(FileTime, units_without_a_date_count_from_the_start) {
  EXPECT_EQ(convert("h", "", 2.0, Calendar()), 7200.0);
  EXPECT_EQ(convert("s", "", 2.0, Calendar("noleap", parse_date("1999-12-31"))), 2.0);
  EXPECT_EQ(convert(Calendar().units(), "", 2.0, Calendar()), 2.0);
}

TEST(FileTime, refuses_what_is_no_time) {
  const Calendar model("standard", parse_date("2000-01-01"));
  EXPECT_EQ(
      refusal("furlongs since 2000-01-01", "", model),
      "the units \"furlongs since 2000-01-01\" are not of time; expected such as \"days since 2026-01-01\"");
  EXPECT_THAT(refusal("months", "", model), HasSubstr("are not of time"));
  EXPECT_THAT(refusal("", "", model), HasSubstr("are not of time"));
  EXPECT_THAT(refusal("days since 2001-02-29", "", model),
              HasSubstr("\"2001-02-29\" in the units \"days since 2001-02-29\" is not a date of the calendar "
                        "standard"));
  for (const char* date :
       {"soon", "2000-13-01", "2000-01-01 25h", "2000-01-01 00:00:00 + 1", "", "2000/01/01"})
    EXPECT_THAT(refusal(std::string("days since ") + date, "360_day", model), HasSubstr("is not a date"))
        << date;
  EXPECT_THAT(refusal("days since 2000-01-01", "no_leap", model),
              HasSubstr("the calendar \"no_leap\" is unknown. Did you mean \"noleap\"?"));
  EXPECT_THAT(refusal("days since 2000-01-01", "", Calendar()),
              HasSubstr("but `model_time.calendar` is none, so that model time has no dates"));
}

}  // namespace
}  // namespace tailrace::calendar
