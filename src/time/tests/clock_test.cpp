#include "time/clock.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "time/axis.hpp"

namespace tailrace::time {
namespace {

using testing::HasSubstr;

const calendar::Calendar none;

Clock clock_of(const std::string& every, model::Tick begin = {}) {
  return {{Ruler(Period::parse(every), none)}, {}, begin};
}

TEST(Clock, takes_a_step_that_misses_a_point_by_a_millionth_as_on_it) {
  Clock clock = clock_of("60 s");
  EXPECT_EQ(clock.read({1, 6.0}).exact, 6.0);
  EXPECT_EQ(clock.read({2, 60.0 + 2e-5}).exact, 60.0);
  EXPECT_DOUBLE_EQ(clock.read({3, 61.0 + 2e-5}).exact, 61.0);  // counted on from there
}

TEST(Clock, leaves_a_step_alone_that_misses_it_by_more) {
  Clock clock = clock_of("60 s");
  clock.read({1, 6.0});
  EXPECT_EQ(clock.read({2, 60.0 + 1e-3}).exact, 60.0 + 1e-3);
}

TEST(Clock, is_set_back_where_steps_do_not_meet_the_grid) {
  Clock clock = clock_of("60 s");
  clock.read({1, 59.5});
  EXPECT_EQ(clock.read({2, 60.0 + 2e-5}).exact, 60.0);  // by chance
  EXPECT_LT(clock.read({3, 119.0}).exact, 119.0);
  EXPECT_EQ(clock.read({4, 121.0}).exact, 121.0);
  EXPECT_EQ(clock.read({5, 122.0}).exact, 122.0);
}

TEST(Clock, holds_to_the_grid_that_steps_meet) {
  const std::vector<Ruler> rulers{Ruler(Period::parse("60 s"), none), Ruler(Period::parse("7 s"), none)};
  Clock clock(rulers, {}, {});
  const double drift = 1e-5;  // in 60 s
  for (std::int64_t step = 1; step <= 100'000; ++step) {
    const double true_time = 2.0 * static_cast<double>(step);
    const double exact = clock.read({step, true_time * (1.0 + drift / 60.0)}).exact;
    ASSERT_NEAR(exact, true_time, 1.1 * drift);
    if (step % 30 == 0) {
      ASSERT_EQ(exact, true_time);
    }
  }
}

TEST(Clock, keeps_the_length_of_a_step_behind_a_point) {
  Clock clock = clock_of("60 s");
  clock.read({1, 59.0});
  EXPECT_EQ(clock.read({2, 60.0 - 1e-6}).exact, 60.0);
  const double behind = clock.read({3, 60.0}).exact;
  EXPECT_GT(behind, 60.0);
  EXPECT_NEAR(behind, 60.0 + 1e-6, 1e-9);
}

// Each has a length of 1e-11 of the period, and less than 1e-9 of the time.
TEST(Clock, loses_no_tiny_step_and_no_window) {
  Clock clock = clock_of("1 d");
  Axis axis({.kind = AxisKind::window, .every = Period::parse("1 d")}, none, {});
  std::int64_t closed = 0, shares = 0;
  double time = 86400.0 - 1e-4;
  for (std::int64_t step = 1; step <= 200; ++step) {
    for (const Share& share : axis.advance(clock.read({step, time}))) {
      closed += share.closes ? 1 : 0;
      EXPECT_GT(share.weight, 0.0);
      ++shares;
    }
    time = 86400.0 - 1e-4 + 1e-6 * static_cast<double>(step);
  }
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(shares, 200);
}

// Steps of a nanosecond to a quarter of an hour, in any order, on grids that they do not meet.
TEST(Clock, loses_no_step_and_no_window_whatever_the_lengths) {
  const std::vector<Ruler> rulers{Ruler(Period::parse("60 s"), none), Ruler(Period::parse("7 s"), none)};
  Clock clock(rulers, {}, {});
  Axis axis({.kind = AxisKind::window, .every = Period::parse("7 s")}, none, {});
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponents(-9.0, 3.0);
  double time = 0.0, exact = 0.0, longest = 0.0, weights = 0.0;
  std::int64_t windows = 0;
  for (std::int64_t step = 1; step <= 20'000; ++step) {
    const double length = std::pow(10.0, exponents(random));
    longest = std::max(longest, length);
    const model::Tick tick = clock.read({step, time += length});
    ASSERT_GT(tick.exact, exact);
    ASSERT_LE(std::abs(tick.exact - time), 0.5 * longest);
    exact = tick.exact;
    const std::vector<Share>& shares = axis.advance(tick);
    ASSERT_FALSE(shares.empty());
    for (const Share& share : shares) {
      ASSERT_GT(share.weight, 0.0);
      ASSERT_EQ(share.record.index, windows);
      ASSERT_EQ(share.record.begin, 7.0 * static_cast<double>(windows));
      weights += share.weight;
      windows += share.closes ? 1 : 0;
    }
  }
  EXPECT_GT(windows, 10'000);
  EXPECT_NEAR(weights, exact, 1e-6);
  EXPECT_FALSE(clock.take_warning());
}

TEST(Clock, gives_a_step_without_length_the_time_before) {
  Clock clock = clock_of("60 s");
  EXPECT_EQ(clock.read({0, 0.0}).exact, 0.0);
  clock.read({1, 59.0});
  EXPECT_EQ(clock.read({2, 60.0 + 1e-6}).exact, 60.0);
  EXPECT_EQ(clock.read({3, 60.0 + 1e-6}).exact, 60.0);
}

TEST(Clock, begins_on_a_point_that_a_long_run_has_reached) {
  const double years = 30 * 365 * 86400.0;
  EXPECT_EQ(clock_of("1 d", {7, years + 2e-3}).begin().exact, years);
  EXPECT_EQ(clock_of("1 d", {7, 43200.0 + 2e-3}).begin().exact, 43200.0 + 2e-3);
}

// 0.1 + 0.2 - begin + begin has other bits.
TEST(Clock, leaves_times_as_they_are_where_nothing_is_to_be_met) {
  const double begin = -1234567.1;
  Clock clock({}, {}, {0, begin});
  for (const double time : {begin, 0.1 + 0.2, 1e9 + 1.0 / 3.0}) EXPECT_EQ(clock.read({1, time}).exact, time);
}

TEST(Clock, knows_points_besides_grids) {
  Clock clock({}, {1000.5, ClockState::infinity}, {});
  clock.read({1, 500.0});
  EXPECT_EQ(clock.read({2, 1000.5 + 1e-4}).exact, 1000.5);
}

// 0.1 in single precision: the sum is half a step off after some thousand steps.
TEST(Clock, tells_when_it_can_no_longer_be_followed) {
  Clock clock = clock_of("1 s");
  float time = 0.0F;
  std::int64_t step = 0;
  double before = 0.0;
  std::optional<std::string> warning;
  while (!warning && step < 100'000) {
    time += 0.1F;
    const double exact = clock.read({++step, time}).exact;
    ASSERT_GT(exact, before);
    before = exact;
    warning = clock.take_warning();
  }
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning, HasSubstr("the model's clock is off by 0.05"));
  EXPECT_THAT(*warning, HasSubstr(fmt::format("more than half a step, at step {} (", step)));
  EXPECT_GT(std::abs(static_cast<double>(time) - 0.1 * static_cast<double>(step)), 0.04);
  for (int i = 0; i < 10'000; ++i) {  // times still grow, and stay by those of the model
    time += 0.1F;
    const double exact = clock.read({++step, time}).exact;
    ASSERT_GT(exact, before);
    ASSERT_NEAR(exact, time, 0.06);
    before = exact;
  }
  EXPECT_FALSE(clock.take_warning());
}

// 2^24 + 1 is no number of single precision.
TEST(Clock, tells_when_it_stands_still) {
  Clock clock = clock_of("1 s", {0, 16777000.0});
  float time = 16777000.0F;
  std::optional<std::string> warning;
  std::int64_t step = 0;
  while (!warning && step < 1000) {
    clock.read({++step, time += 1.0F});
    warning = clock.take_warning();
  }
  EXPECT_EQ(step, 216 + 100);
  EXPECT_THAT(warning.value_or(""),
              HasSubstr("the model's clock has stood still for 100 steps, at 16777216 s up to step 316"));
}

TEST(Clock, may_stand_still_from_the_start) {
  Clock clock = clock_of("1 s");
  for (std::int64_t step = 1; step <= 1000; ++step) clock.read({step, 0.0});
  EXPECT_FALSE(clock.take_warning());
}

}  // namespace
}  // namespace tailrace::time
