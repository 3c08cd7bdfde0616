// MONC's way with time, on its own and where axes follow it.
#include "dialects/monc/convention.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "time/axis.hpp"
#include "time/testing/convention_conformance.hpp"

namespace tailrace::dialects::monc {
namespace {

using testing::ElementsAre;
using time::Axis;
using time::AxisKind;
using time::Period;
using time::Share;

const calendar::Calendar none;

TEST(Convention, Conforms) { time::testing::check_convention(convention()); }

// Against MONC's own recurrence, with samples at uneven times.
TEST(Convention, WeighsAsMoncDoes) {
  Axis axis({.kind = AxisKind::whole_samples,
             .every = Period::of_seconds(10.0),
             .cadence = Period::of_steps(1),
             .convention = &convention()},
            none, {});
  const std::vector<double> times{2.5, 4.0, 9.0, 12.0, 14.0, 21.5, 22.0, 30.0, 31.0};
  double average = 0.0, begin = 0.0, last = 0.0, sum = 0.0, weights = 0.0;
  std::vector<double> ends;
  bool first = true;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double t = times[i], x = std::sqrt(t);
    average = first ? x : ((t - begin) * average + (t - last) * x) / ((t - begin) + (t - last));
    const auto& shares = axis.advance({static_cast<std::int64_t>(i + 1), t});
    ASSERT_EQ(shares.size(), 1u);
    sum = (first ? 0.0 : sum) + shares[0].weight * x;
    weights = (first ? 0.0 : weights) + shares[0].weight;
    EXPECT_NEAR(sum / weights, average, 1e-14 * average);
    EXPECT_EQ(shares[0].record.begin, begin);
    EXPECT_EQ(shares[0].closes, t - begin >= 10.0);
    first = shares[0].closes;
    last = t;
    if (first) {
      ends.push_back(t);
      begin = t;
    }
  }
  EXPECT_THAT(ends, ElementsAre(12.0, 22.0));  // not 20, 30: the period counts from the last end
  EXPECT_FALSE(axis.finish().has_value());
}

TEST(Convention, InstantsCountFromTheOneBefore) {
  Axis axis({.kind = AxisKind::instant,
             .every = Period::of_seconds(7.0),
             .cadence = Period::of_steps(1),
             .convention = &convention()},
            none, {});
  std::vector<double> taken;
  for (std::int64_t step = 1; step <= 16; ++step) {
    const double time = 2.5 * static_cast<double>(step);
    for (const Share& share : axis.advance({step, time})) {
      EXPECT_TRUE(share.closes);
      taken.push_back(share.record.end);
    }
  }
  EXPECT_THAT(taken, ElementsAre(7.5, 15.0, 22.5, 30.0, 37.5));
}

// A tenth of a microsecond does not matter, as rounding makes it.
TEST(Convention, CountsTenthsOfMicroseconds) {
  Axis axis({.kind = AxisKind::instant,
             .every = Period::of_seconds(0.3),
             .cadence = Period::of_steps(1),
             .convention = &convention()},
            none, {});
  EXPECT_EQ(axis.advance({1, 0.3 - 1e-9}).size(), 0u);
  EXPECT_EQ(axis.advance({2, 0.1 + 0.2}).size(), 1u);
}

// W=31, samples each 2.5 give files at 32.5 and 65, whose names have 1 and 2 periods.
TEST(Convention, FilesDriftToo) {
  const time::Ruler ruler(Period::of_seconds(31), none);
  time::LastEdge last = convention().first_edge(ruler, {4, 10.0});
  EXPECT_EQ(last, time::LastEdge()) << "MONC counts from 0";
  std::vector<double> ends;
  for (std::int64_t step = 5; step < 32; ++step) {
    const double time = 2.5 * static_cast<double>(step);
    if (!convention().ends_file(ruler, {step, time}, last)) continue;
    ends.push_back(time);
    EXPECT_EQ(last.index, std::ssize(ends));
  }
  EXPECT_THAT(ends, ElementsAre(32.5, 65.0));
}

// MONC keeps the end in single precision, so it can lie before the tick: 16777217.0 becomes 16777216.
TEST(Convention, ForgetsDigitsOfTheEndOfAFile) {
  const time::Ruler ruler(Period::of_seconds(1.0), none);
  time::LastEdge last;
  EXPECT_TRUE(convention().ends_file(ruler, {1, 16777217.0}, last));
  EXPECT_EQ(last.time, 16777216.0);
}

TEST(Convention, StepsAndMonthsAreThoseOfTheStandard) {
  const time::Convention& standard = time::standard_convention();
  const time::Ruler ruler(Period::of_steps(4), none);
  time::LastEdge ours = convention().first_edge(ruler, {6, 9.0}),
                 others = standard.first_edge(ruler, {6, 9.0});
  for (std::int64_t step = 7; step < 40; step += 3) {
    const model::Tick tick{step, 1.5 * static_cast<double>(step)};
    EXPECT_EQ(convention().ends_record(ruler, tick, ours), standard.ends_record(ruler, tick, others)) << step;
    EXPECT_EQ(ours, others);
  }
  EXPECT_EQ(convention().weight(ruler, {7.0, 4.0, 2.0}, {}), 3.0);
  EXPECT_EQ(convention().windows_in_words(Period::of_months(1), true),
            standard.windows_in_words(Period::of_months(1), true));
}

TEST(Convention, PutsTheNumberAtTheFirstPointOfTheName) {
  EXPECT_EQ(convention().place_of_number("./run.1/a.b.nc"), std::string("./run.1/a").size());
  EXPECT_EQ(convention().place_of_number("run.1/.a.nc"), std::string("run.1/.a").size());
}

TEST(Convention, SaysWhatValuesAre) {
  const Period every = Period::of_seconds(20.0);
  EXPECT_EQ(convention().instants_in_words(every, Period::of_steps(1)),
            "each value is that of the first sample (taken every step) 20 s or more after the one before it");
  EXPECT_EQ(
      convention().windows_in_words(every, true),
      "to the first sample 20 s or more after its begin; means are weighted as in MONC, where the first "
      "sample of an interval counts about twice");
}

}  // namespace
}  // namespace tailrace::dialects::monc
