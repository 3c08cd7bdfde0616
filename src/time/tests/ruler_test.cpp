#include "time/ruler.hpp"

#include <gtest/gtest.h>

namespace tailrace::time {
namespace {

using calendar::Calendar;

constexpr double hour = 3600.0;

TEST(Ruler, lays_days_and_hours_on_midnight) {
  const Calendar calendar("standard", {.year = 2026, .month = 3, .day = 5, .hour = 7, .minute = 30});
  const Ruler days(Period::parse("1 d"), calendar);
  EXPECT_EQ(days.edge(1), 16.5 * hour);  // the first midnight after the start
  EXPECT_EQ(days.place({1, 0.0}).index, 0);
  EXPECT_FALSE(days.place({1, 0.0}).on_edge);
  EXPECT_TRUE(days.place({1, 16.5 * hour}).on_edge);
  const Ruler six_hours(Period::parse("6 h"), calendar);
  EXPECT_EQ(six_hours.edge(2), 4.5 * hour);  // noon
}

TEST(Ruler, counts_lengths_from_zero_where_there_are_no_dates) {
  const Calendar none;
  EXPECT_EQ(Ruler(Period::parse("1 d"), none).edge(1), 24 * hour);
}

TEST(Ruler, moves_the_grid_by_the_offset) {
  const Calendar calendar("360_day", {.year = 2000, .month = 11, .day = 1});
  const Ruler seasons(Period::parse("3 months").with_offset("-1 month"), calendar);
  const double month = 30 * 24 * hour;
  const auto before = seasons.place({0, 0.0}).index;
  EXPECT_EQ(seasons.edge(before), -2 * month);  // September
  EXPECT_EQ(seasons.edge(before + 1), month);   // December
  EXPECT_EQ(seasons.edge(before + 2), 4 * month);

  const Ruler noons(Period::parse("1 d").with_offset("12 h"), calendar);
  EXPECT_EQ(noons.place({0, 0.0}).index, -1);
  EXPECT_EQ(noons.edge(0), 12 * hour);

  const Ruler steps(Period::parse("5 steps").with_offset("-2 steps"), calendar);
  EXPECT_TRUE(steps.place({3, 0.0}).on_edge);
  EXPECT_TRUE(steps.place({8, 0.0}).on_edge);
  EXPECT_FALSE(steps.place({5, 0.0}).on_edge);
}

}  // namespace
}  // namespace tailrace::time
