#include "time/axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"

namespace tailrace::time {
namespace {

using model::Tick;
using testing::ElementsAre;
using testing::IsEmpty;

// Describes the shares of a tick in words: "0[0,10) +4", with "." where the record closed.
std::vector<std::string> words(const std::vector<Share>& shares) {
  std::vector<std::string> all;
  for (const Share& share : shares) {
    std::ostringstream text;
    text << share.record.index << " " << share.record.begin << ".." << share.record.end << " +"
         << share.weight << (share.fraction == 1.0 || share.weight == 0.0 ? "" : " part")
         << (share.closes ? " closes" : "");
    all.push_back(text.str());
  }
  return all;
}

const calendar::Calendar none;
Axis windows(const char* every, const char* cadence, Tick begin = {}) {
  return Axis({.kind = AxisKind::window, .every = Period::parse(every), .cadence = Period::parse(cadence)},
              none, begin);
}
Axis instants(const char* every, const char* cadence, Tick begin = {}) {
  return Axis({.kind = AxisKind::instant, .every = Period::parse(every), .cadence = Period::parse(cadence)},
              none, begin);
}

TEST(WindowAxis, cuts_intervals_at_the_edges) {
  Axis axis = windows("10 s", "1 step");
  EXPECT_THAT(words(axis.advance({1, 4.0})), ElementsAre("0 0..10 +4"));
  EXPECT_THAT(words(axis.advance({2, 12.0})), ElementsAre("0 0..10 +6 part closes", "1 10..20 +2 part"));
  EXPECT_THAT(words(axis.advance({3, 20.0})), ElementsAre("1 10..20 +8 closes"));
  EXPECT_FALSE(axis.finish().has_value());
  EXPECT_THAT(words(axis.advance({4, 25.0})), ElementsAre("2 20..30 +5"));
  const auto last = axis.finish();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->index, 2);
  EXPECT_EQ(last->begin, 20.0);
  EXPECT_EQ(last->end, 25.0);
  EXPECT_FALSE(last->whole);
}

TEST(WholeSampleAxis, ends_windows_with_the_first_sample_at_or_past_the_edge) {
  Axis axis(
      {.kind = AxisKind::whole_samples, .every = Period::of_seconds(10.0), .cadence = Period::of_steps(2)},
      none, {});
  EXPECT_THAT(words(axis.advance({1, 3.0})), IsEmpty());
  EXPECT_THAT(words(axis.advance({2, 6.0})), ElementsAre("0 0..6 +6"));
  EXPECT_THAT(words(axis.advance({4, 12.0})), ElementsAre("0 0..12 +6 closes"));
  EXPECT_THAT(words(axis.advance({6, 20.0})), ElementsAre("1 12..20 +8 closes"));
  EXPECT_THAT(words(axis.advance({8, 55.0})), ElementsAre("2 20..55 +35 closes"));
  EXPECT_THAT(words(axis.advance({10, 58.0})), ElementsAre("3 55..58 +3"));
  EXPECT_FALSE(axis.finish().has_value());
}

TEST(AtEndAxis, has_one_record_at_the_last_tick) {
  Axis axis({.kind = AxisKind::at_end, .every = Period::never(), .cadence = Period::of_steps(1)}, none, {});
  EXPECT_FALSE(axis.finish().has_value());
  EXPECT_THAT(words(axis.advance({1, 3.0})), ElementsAre("0 3..3 +1"));
  EXPECT_THAT(words(axis.advance({7, 9.0})), ElementsAre("0 9..9 +1"));
  const auto last = axis.finish();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->index, 0);
  EXPECT_EQ(last->end, 9.0);
  EXPECT_EQ(last->end_step, 7);
}

TEST(InstantAxis, has_one_more_record_where_the_run_ends_between_two) {
  Axis axis({.kind = AxisKind::instant,
             .every = Period::of_steps(3),
             .cadence = Period::of_steps(3),
             .also_at_end = true},
            none, {});
  EXPECT_THAT(words(axis.advance({2, 4.0})), ElementsAre("0 4..4 +1"));
  EXPECT_THAT(words(axis.advance({3, 6.0})), ElementsAre("0 6..6 +1 closes"));
  EXPECT_FALSE(axis.finish().has_value());
  EXPECT_THAT(words(axis.advance({4, 8.0})), ElementsAre("1 8..8 +1"));
  EXPECT_THAT(words(axis.advance({5, 11.0})), ElementsAre("1 11..11 +1"));
  const auto last = axis.finish();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->index, 1);
  EXPECT_EQ(last->end, 11.0);
  EXPECT_EQ(last->end_step, 5);
  EXPECT_THAT(words(axis.advance({6, 12.0})), ElementsAre("1 12..12 +1 closes"));
}

TEST(WindowAxis, a_long_step_contributes_to_every_window_it_spans) {
  Axis axis = windows("10 s", "1 step");
  EXPECT_THAT(words(axis.advance({1, 35.0})),
              ElementsAre("0 0..10 +10 part closes", "1 10..20 +10 part closes", "2 20..30 +10 part closes",
                          "3 30..40 +5 part"));
}

TEST(WindowAxis, takes_exact_times) {
  Axis axis = windows("10 s", "1 step");
  EXPECT_THAT(words(axis.advance({1, 10.0 - 9e-9, 10.0})), ElementsAre("0 0..10 +10 closes"));
  EXPECT_THAT(words(axis.advance({2, 20.0 + 9e-9, 20.0})), ElementsAre("1 10..20 +10 closes"));
  EXPECT_EQ(axis.advance({3, 30.0 - 9e-9}).size(), 1u);
  EXPECT_FALSE(axis.advance({4, 30.0}).empty());
}

TEST(WindowAxis, steps_without_length_count_for_nothing) {
  Axis axis = windows("10 s", "1 step");
  EXPECT_THAT(words(axis.advance({0, 0.0})), IsEmpty());
  EXPECT_FALSE(axis.wanted());
  EXPECT_THAT(words(axis.advance({1, 4.0})), ElementsAre("0 0..10 +4"));
  EXPECT_THAT(words(axis.advance({2, 4.0})), IsEmpty());
}

TEST(WindowAxis, begins_late_where_the_run_begins_late) {
  Axis axis = windows("10 s", "1 step", {7, 1003.0});
  const auto& shares = axis.advance({8, 1012.0});
  EXPECT_THAT(words(shares), ElementsAre("0 1003..1010 +7 part closes", "1 1010..1020 +2 part"));
  EXPECT_FALSE(shares[0].record.whole);
  EXPECT_EQ(shares[0].record.begin_step, 7);
  EXPECT_TRUE(shares[1].record.whole);
}

TEST(WindowAxis, weighs_by_the_interval_since_the_last_sample) {
  Axis axis = windows("10 s", "3 steps");
  EXPECT_THAT(words(axis.advance({1, 2.0})), IsEmpty());
  EXPECT_THAT(words(axis.advance({2, 4.0})), IsEmpty());
  EXPECT_THAT(words(axis.advance({3, 6.0})), ElementsAre("0 0..10 +6"));
  EXPECT_THAT(words(axis.advance({4, 9.0})), IsEmpty());
  EXPECT_THAT(words(axis.advance({5, 11.0})), IsEmpty());
  EXPECT_EQ(axis.finish()->end, 10.0);
  EXPECT_THAT(words(axis.advance({6, 13.0})), ElementsAre("0 0..10 +4 part closes", "1 10..20 +3 part"));
}

TEST(WindowAxis, in_steps_uses_the_times_of_those_steps) {
  Axis axis = windows("4 steps", "3 steps");
  for (int step = 1; step <= 2; ++step) EXPECT_THAT(words(axis.advance({step, step * 1.5})), IsEmpty());
  EXPECT_THAT(words(axis.advance({3, 5.0})), ElementsAre("0 0..5 +5"));
  EXPECT_THAT(words(axis.advance({4, 6.0})), IsEmpty());
  ASSERT_TRUE(axis.finish().has_value());
  EXPECT_EQ(axis.finish()->end, 6.0);
  EXPECT_EQ(axis.finish()->end_step, 4);
  EXPECT_THAT(words(axis.advance({5, 8.0})), IsEmpty());
  const auto& shares = axis.advance({6, 9.5});
  EXPECT_THAT(words(shares), ElementsAre("0 0..6 +1 part closes", "1 6..9.5 +3.5 part"));
  EXPECT_EQ(shares[0].record.end_step, 4);
  EXPECT_EQ(shares[1].record.begin_step, 4);
}

TEST(WindowAxis, in_steps_closes_a_window_whose_last_step_has_no_length) {
  Axis axis = windows("2 steps", "1 step");
  EXPECT_THAT(words(axis.advance({1, 3.0})), ElementsAre("0 0..3 +3"));
  EXPECT_THAT(words(axis.advance({2, 3.0})), ElementsAre("0 0..3 +0 closes"));
  EXPECT_THAT(words(axis.advance({4, 3.0})), IsEmpty());
  EXPECT_THAT(words(axis.advance({5, 4.0})), ElementsAre("1 3..4 +1"));
}

TEST(WindowAxis, in_months_follows_the_calendar) {
  const calendar::Calendar calendar("standard", calendar::parse_date("2024-01-31"));
  const double day = 86400.0;
  Axis axis({.kind = AxisKind::window, .every = Period::parse("1 month"), .cadence = Period::parse("1 step")},
            calendar, {});
  EXPECT_THAT(words(axis.advance({1, day})), ElementsAre("0 0..86400 +86400 closes"));
  const auto& february = axis.advance({2, 31 * day});
  ASSERT_EQ(february.size(), 2u);
  EXPECT_EQ(february[0].weight, 29 * day);
  EXPECT_TRUE(february[0].record.whole);
  EXPECT_TRUE(february[0].closes);
  EXPECT_EQ(february[1].weight, day);
  EXPECT_EQ(february[1].record.end, (1 + 29 + 31) * day);
}

TEST(WindowAxis, refuses_months_without_a_calendar) {
  EXPECT_THROW(windows("1 month", "1 step"), Error);
  EXPECT_THROW(windows("1 step", "1 month"), Error);
}

TEST(InstantAxis, takes_the_first_sample_at_or_past_each_point) {
  Axis axis = instants("10 s", "1 step");
  EXPECT_THAT(words(axis.advance({1, 4.0})), IsEmpty());
  EXPECT_THAT(words(axis.advance({2, 12.0})), ElementsAre("0 12..12 +1 closes"));
  EXPECT_THAT(words(axis.advance({3, 20.0})), ElementsAre("1 20..20 +1 closes"));
  EXPECT_THAT(words(axis.advance({4, 55.0})), ElementsAre("2 55..55 +1 closes"));
  EXPECT_THAT(words(axis.advance({5, 59.0})), IsEmpty());
  EXPECT_FALSE(axis.finish().has_value());
}

TEST(InstantAxis, takes_the_beginning_only_if_a_tick_falls_on_it) {
  EXPECT_THAT(words(instants("10 s", "1 step").advance({0, 0.0})), ElementsAre("0 0..0 +1 closes"));
  EXPECT_THAT(words(instants("10 s", "1 step").advance({1, 1.0})), IsEmpty());
  EXPECT_THAT(words(instants("10 s", "1 step", {5, 3.0}).advance({5, 3.0})), IsEmpty());
  EXPECT_THAT(words(instants("5 steps", "1 step", {5, 3.0}).advance({5, 3.0})),
              ElementsAre("0 3..3 +1 closes"));
}

TEST(InstantAxis, looks_at_samples_only) {
  Axis axis = instants("5 steps", "2 steps");
  std::vector<std::int64_t> steps;
  for (int step = 1; step <= 20; ++step) {
    axis.advance({step, 1.0 * step});
    if (axis.wanted()) steps.push_back(step);
  }
  EXPECT_THAT(steps, ElementsAre(6, 10, 16, 20));
}

TEST(Cadence, takes_multiples_of_steps_and_points_in_time) {
  Cadence steps(Period::parse("3 steps"), none, {});
  EXPECT_TRUE(steps.due({0, 0.0}));
  EXPECT_FALSE(steps.due({1, 1.0}));
  EXPECT_TRUE(steps.due({3, 3.0}));
  Cadence seconds(Period::parse("2 s"), none, {});
  EXPECT_FALSE(seconds.due({1, 1.5}));
  EXPECT_TRUE(seconds.due({2, 2.5}));
  EXPECT_FALSE(seconds.due({3, 3.5}));
  EXPECT_TRUE(seconds.due({4, 9.0}));
}

TEST(CyclicAxis, gives_each_window_of_the_day_one_record_in_the_order_of_time) {
  Axis axis({.kind = AxisKind::window, .every = Period::of_seconds(8 * 3600.0), .cycle = Cycle::day}, none,
            {0, 10 * 3600.0});
  for (int step = 1; step <= 5; ++step) {  // 10 h each: up to the third day's 12 h
    for (const Share& share : axis.advance({step, (10 + 10 * step) * 3600.0})) {
      EXPECT_FALSE(share.closes);
      EXPECT_EQ(share.record.turn, static_cast<std::int64_t>(share.record.begin / (8 * 3600.0)) % 3);
    }
  }
  const auto records = axis.last_records();
  ASSERT_EQ(records.size(), 3U);
  const std::vector<std::vector<double>> expected{{1, 10, 16, 60}, {2, 16, 24, 48}, {0, 24, 32, 56}};
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].index, static_cast<std::int64_t>(i));
    EXPECT_EQ(records[i].turn, static_cast<std::int64_t>(expected[i][0]));
    EXPECT_EQ(records[i].begin, expected[i][1] * 3600.0);
    EXPECT_EQ(records[i].first_end, expected[i][2] * 3600.0);
    EXPECT_EQ(records[i].end, expected[i][3] * 3600.0);
  }
}

TEST(CyclicAxis, weighs_a_sample_in_each_window_by_its_share) {
  Axis axis({.kind = AxisKind::window, .every = Period::of_seconds(8 * 3600.0), .cycle = Cycle::day}, none,
            {});
  const std::vector<Share> shares = axis.advance({1, 32 * 3600.0});
  ASSERT_EQ(shares.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(shares[i].record.turn, static_cast<std::int64_t>(i % 3));
    EXPECT_EQ(shares[i].weight, 8 * 3600.0);
    EXPECT_EQ(shares[i].fraction, 0.25);
  }
}

TEST(InstantAxis, leaves_out_the_instant_at_which_the_run_before_ended) {
  const AxisRule rule{
      .kind = AxisKind::instant, .every = Period::of_seconds(10.0), .cadence = Period::of_steps(1)};
  Axis axis(rule, none, {0, 20.0}, {.records = 3, .has_begin = true});
  EXPECT_THAT(words(axis.advance({0, 20.0})), IsEmpty());
  EXPECT_THAT(words(axis.advance({1, 30.0})), ElementsAre("3 30..30 +1 closes"));
}

}  // namespace
}  // namespace tailrace::time
