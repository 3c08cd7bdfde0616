#include "time/period.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tailrace::time {
namespace {

using testing::HasSubstr;

std::string complaint(std::string_view text) {
  try {
    Period::parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "";
}

TEST(Period, reads_lengths_steps_and_months) {
  EXPECT_EQ(Period::parse("10 s"), Period::of_seconds(10.0));
  EXPECT_EQ(Period::parse("2.5 min"), Period::of_seconds(150.0));
  EXPECT_EQ(Period::parse(" 6h "), Period::of_seconds(21600.0));
  EXPECT_EQ(Period::parse("1 d"), Period::parse("24 hours"));
  EXPECT_EQ(Period::parse("1e-1 s"), Period::of_seconds(0.1));
  EXPECT_EQ(Period::parse("1 step"), Period::of_steps(1));
  EXPECT_EQ(Period::parse("5 steps"), Period::of_steps(5));
  EXPECT_EQ(Period::parse("3 months"), Period::of_months(3));
  EXPECT_EQ(Period::parse("0.5 year"), Period::of_months(6));
  EXPECT_FALSE(Period::of_steps(1) == Period::of_months(1));
}

TEST(Period, takes_an_offset_of_its_kind) {
  const Period season = Period::parse("3 months").with_offset("-1 month");
  EXPECT_EQ(season.offset_count(), -1);
  EXPECT_EQ(season.name(), "3months_minus_1month");
  EXPECT_EQ(season.sentence(), "every 3 months, offset by -1 month");
  EXPECT_FALSE(season == Period::parse("3 months"));
  EXPECT_EQ(Period::parse("1 d").with_offset("6 h").offset_seconds(), 21600.0);
  EXPECT_EQ(Period::parse("1 d").with_offset("6 h").name(), "1d_plus_6h");
  EXPECT_EQ(Period::parse("5 steps").with_offset("+ 2 steps").offset_count(), 2);
}

std::string offset_complaint(const char* period, const char* offset) {
  try {
    Period::parse(period).with_offset(offset);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Period, refuses_an_offset_that_does_not_fit) {
  EXPECT_EQ(offset_complaint("3 months", "-1 d"),
            "a period of 3 months cannot have an offset of 1 d: expected months such as `-1 month`");
  EXPECT_THAT(offset_complaint("6 h", "2 steps"), HasSubstr("expected a length of time such as `6 h`"));
  EXPECT_EQ(offset_complaint("1 d", "36 h"),
            "expected an offset that is shorter than the period of 1 d, but got 36 h");
  EXPECT_EQ(offset_complaint("2 steps", "-2 steps"),
            "expected an offset that is shorter than the period of 2 steps, but got 2 steps");
}

TEST(Period, says_what_it_expected) {
  EXPECT_EQ(complaint("10"),
            "\"10\" is not a period: the unit is missing; expected a positive number and a unit, such as `10 "
            "s`, `5 steps` "
            "or `1 month`");
  EXPECT_THAT(complaint("10 stpes"),
              HasSubstr("unit \"stpes\" is unknown. Did you mean \"steps\"? (known: d, h,"));
  EXPECT_THAT(complaint("-1 s"), HasSubstr("the number is not positive"));
  EXPECT_THAT(complaint("0 steps"), HasSubstr("the number is not positive"));
  EXPECT_THAT(complaint("nan s"), HasSubstr("does not begin with a number"));
  EXPECT_THAT(complaint("monthly"), HasSubstr("does not begin with a number"));
  EXPECT_THAT(complaint(""), HasSubstr("does not begin with a number"));
  EXPECT_THAT(complaint("1.5 steps"), HasSubstr("the number of steps must be whole"));
  EXPECT_THAT(complaint("0.3 months"), HasSubstr("the number of months must be whole"));
}

TEST(Period, names_itself) {
  const auto names = [](std::string_view text) {
    const Period period = Period::parse(text);
    return period.name() + "|" + period.sentence();
  };
  EXPECT_EQ(names("10 s"), "10s|every 10 s");
  EXPECT_EQ(names("90 s"), "90s|every 90 s");
  EXPECT_EQ(names("21600 s"), "6h|every 6 h");
  EXPECT_EQ(names("0.5 s"), "500ms|every 500 ms");
  EXPECT_EQ(names("2.5 s"), "2p5s|every 2.5 s");
  EXPECT_EQ(names("1 step"), "1step|every step");
  EXPECT_EQ(names("5 steps"), "5steps|every 5 steps");
  EXPECT_EQ(names("1 month"), "1month|every month");
  EXPECT_EQ(names("24 months"), "2years|every 2 years");
}

}  // namespace
}  // namespace tailrace::time
