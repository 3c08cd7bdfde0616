#include "time/span.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tailrace::time {
namespace {

using testing::HasSubstr;

const calendar::Calendar dates("standard", {.year = 2026, .month = 1, .day = 1});
const calendar::Calendar none;

WrittenSpan written(const std::string& from, const std::string& until) {
  return {.from = {from, {"run.yaml", 3, 5}}, .until = {until, {"run.yaml", 4, 5}}};
}

std::string complaints(const WrittenSpan& span, const calendar::Calendar& calendar) {
  config::Problems problems;
  check_span(span, calendar, "output.a.nc", problems);
  return problems.text();
}

TEST(Span, is_in_seconds_of_model_time) {
  const Span span = resolve(written("2026-01-02", "2026-01-03T06:00"), dates);
  EXPECT_EQ(span.from, 86400.0);
  EXPECT_EQ(span.until, 2.25 * 86400.0);
  EXPECT_EQ(resolve(written("90 min", ""), none).from, 5400.0);
  EXPECT_EQ(resolve(written("", ""), none), Span());
  EXPECT_EQ(complaints(written("2026-01-02", "2026-01-03"), dates), "");
}

TEST(Span, reports_bounds_that_do_not_fit) {
  EXPECT_THAT(
      complaints(written("6 h", ""), dates),
      HasSubstr("run.yaml:3:5  output.a.nc.from: expected a date, since the run has the calendar standard"));
  EXPECT_THAT(complaints(written("", "2026-01-02"), none), HasSubstr("`model_time.calendar` is none"));
  EXPECT_THAT(complaints(written("", "2026-02-30"), dates), HasSubstr("run.yaml:4:5  output.a.nc.until: "));
  EXPECT_THAT(
      complaints(written("2026-01-02", "2026-01-02"), dates),
      HasSubstr("output.a.nc.until: expected a time after `from`, which is 2026-01-02, but got 2026-01-02"));
}

}  // namespace
}  // namespace tailrace::time
