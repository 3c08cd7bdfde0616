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
