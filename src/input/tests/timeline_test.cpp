#include "input/timeline.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

calendar::Calendar year_2000(std::string_view name = "standard") {
  return calendar::Calendar(name, calendar::parse_date("2000-01-01"));
}

TimeAxis days(std::vector<double> values, std::vector<double> bounds = {}) {
  return {std::move(values), std::move(bounds), false, "days since 2000-01-01", "standard"};
}

std::vector<double> times_of(const Timeline& timeline) {
  std::vector<double> days;
  for (const Record& one : timeline.records()) days.push_back(one.time / 86400.0);
  return days;
}

std::string refusal(const TimeAxis& axis) {
  Timeline timeline(year_2000());
  try {
    timeline.add(0, axis);
    timeline.finish();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Timeline, puts_the_records_of_all_files_in_order) {
  Timeline timeline(year_2000());
  timeline.add(0, days({10, 11, 12}));
  timeline.add(1, {{0, 24, 48}, {}, false, "hours since 2000-01-01", ""});
  EXPECT_EQ(timeline.finish(), 0);
  EXPECT_THAT(times_of(timeline), ElementsAre(0, 1, 2, 10, 11, 12));
  EXPECT_EQ(timeline.records().front().file, 1);
  EXPECT_EQ(timeline.records().back().index, 2);
}

TEST(Timeline, the_later_of_two_records_with_one_time_counts) {
  Timeline timeline(year_2000());
  timeline.add(0, days({2, 0, 1, 1}));  // out of order, and the last one twice
  timeline.add(1, days({2.0000000001, 3}));
  EXPECT_EQ(timeline.finish(), 2);
  ASSERT_EQ(timeline.records().size(), 4u);
  EXPECT_EQ(timeline.records()[1].index, 3);
  EXPECT_EQ(timeline.records()[2].file, 1);
}

TEST(Timeline, the_time_of_a_record_with_bounds_is_the_middle) {
  Timeline timeline(year_2000());
  timeline.add(0, days({0, 40}, {0, 31, 31, 60}));
  timeline.finish();
  EXPECT_TRUE(timeline.has_bounds());
  EXPECT_THAT(times_of(timeline), ElementsAre(15.5, 45.5));
}

TEST(Timeline, records_on_a_day_that_the_model_lacks_are_left_out) {
  Timeline timeline(year_2000("noleap"));
  timeline.add(0, days({58, 59, 60}));
  timeline.finish();
  EXPECT_THAT(times_of(timeline), ElementsAre(58, 59)) << "28 February and 1 March";
  EXPECT_EQ(timeline.left_out(), 1);
}

TEST(Timeline, refuses_times_that_cannot_be) {
  EXPECT_EQ(refusal(days({0, std::nan("")})), "time 1 (counted from 0) is not a number");
  EXPECT_EQ(refusal(days({0, 1}, {0, 1, 2, 3})),
            "the bounds 2 and 3 of time 1 (counted from 0) do not enclose it: it is 1 days since 2000-01-01");
  EXPECT_THAT(refusal(days({1, 2}, {0, 2, 1, 3})), HasSubstr("the intervals of two records overlap"));
}

}  // namespace
}  // namespace tailrace::input
