// Clocks that a model adds up, in single or double precision, in seconds, hours or days since a far date,
// against whole numbers: the lengths of all steps are multiples of a small unit, so the exact windows follow
// from integers. The usual run has some ten thousand steps for each clock; TAILRACE_TEST_FAULTS=1 has ten
// million.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "base/index.hpp"
#include "time/axis.hpp"
#include "time/clock.hpp"

namespace tailrace::time {
namespace {

using model::Tick;

const calendar::Calendar none;
const bool is_long = std::getenv("TAILRACE_TEST_FAULTS") != nullptr;
const std::int64_t most_steps = is_long ? 10'000'000 : 40'000;

// Times are whole numbers of parts: `parts` of them are a second.
struct ClockCase {
  std::string name;
  bool is_single = false;
  double seconds_per_unit = 1.0;  // of the model's clock
  double epoch = 0.0;             // its value at the start, in this unit
  std::int64_t parts = 1;
  std::int64_t shortest = 1, longest = 1;  // of steps, in parts; those between are drawn at random
  std::vector<std::int64_t> windows{};     // in parts; steps are cut at multiples of the first
  bool multiplies = false;                 // t = k * dt, instead of t = t + dt
  std::int64_t steps = most_steps;
};

void PrintTo(const ClockCase& clock, std::ostream* out) { *out << clock.name; }

Period period_of(const ClockCase& clock, std::int64_t window) {
  return Period::of_seconds(static_cast<double>(window) / static_cast<double>(clock.parts));
}

template <class Real>
class AddedUp {
 public:
  explicit AddedUp(const ClockCase& clock)
      : clock_(clock), now_(static_cast<Real>(clock.epoch)), begin_(now_) {}
  // Seconds since the start, after a step that ends at part `now`.
  double advance(std::int64_t length, std::int64_t now) {
    if (clock_.multiplies)
      now_ = begin_ + in_units(now);
    else
      now_ = now_ + in_units(length);
    return (static_cast<double>(now_) - static_cast<double>(begin_)) * clock_.seconds_per_unit;
  }

 private:
  Real in_units(std::int64_t parts) const {
    return static_cast<Real>(static_cast<double>(parts) /
                             (static_cast<double>(clock_.parts) * clock_.seconds_per_unit));
  }
  const ClockCase& clock_;
  volatile Real now_;  // rounded at each step, whatever the registers hold
  Real begin_;
};

// Windows, snapshots and the sampling of one period, against whole numbers.
class Expected {
 public:
  Expected(const ClockCase& clock, std::int64_t window, const Tick& begin)
      : clock_(clock),
        window_(window),
        windows_({.kind = AxisKind::window, .every = period_of(clock, window)}, none, begin),
        instants_({.kind = AxisKind::instant, .every = period_of(clock, window)}, none, begin),
        cadence_(period_of(clock, window), none, begin) {}

  // A step from part `from` to part `to`.
  void step(const Tick& tick, std::int64_t from, std::int64_t to) {
    check_window(tick, from, to);
    const bool passes = to / window_ > from / window_;
    ASSERT_EQ(cadence_.due(tick), passes);
    const std::vector<Share>& taken = instants_.advance(tick);
    ASSERT_EQ(taken.size(), passes ? 1U : 0U);
    if (!passes) return;
    ASSERT_EQ(taken[0].record.index, records_++);
    if (to % window_ == 0) {
      ASSERT_EQ(taken[0].record.begin, edge(to / window_));
    }
  }

  std::int64_t closed() const { return closed_; }

 private:
  double edge(std::int64_t number) const {
    return static_cast<double>(number) * period_of(clock_, window_).seconds();
  }

  void check_window(const Tick& tick, std::int64_t from, std::int64_t to) {
    const std::vector<Share>& shares = windows_.advance(tick);
    const std::int64_t first = from / window_, last = (to - 1) / window_;
    ASSERT_EQ(std::ssize(shares), last - first + 1);
    for (std::int64_t i = 0; i < std::ssize(shares); ++i) {
      const Share& share = shares[base::index(i)];
      const std::int64_t number = first + i;
      const std::int64_t overlap = std::min(to, (number + 1) * window_) - std::max(from, number * window_);
      ASSERT_EQ(share.closes, to >= (number + 1) * window_);
      ASSERT_EQ(share.record.index, number);
      ASSERT_EQ(share.record.begin, edge(number));
      ASSERT_EQ(share.record.end, edge(number + 1));
      if (number > first) {
        ASSERT_EQ(share.record.begin_step, tick.step - 1);
      }
      const double expected = static_cast<double>(overlap) / static_cast<double>(to - from);
      ASSERT_NEAR(share.fraction, expected, first == last ? 0.0 : 2e-2);
      ASSERT_NEAR(share.weight * static_cast<double>(clock_.parts), static_cast<double>(overlap),
                  0.15 * static_cast<double>(to - from));
      closed_ += share.closes ? 1 : 0;
    }
  }

  const ClockCase& clock_;
  std::int64_t window_;
  Axis windows_, instants_;
  Cadence cadence_;
  std::int64_t records_ = 0, closed_ = 0;
};

class AddedUpClock : public testing::TestWithParam<ClockCase> {};

template <class Real>
void compare(const ClockCase& clock) {
  std::vector<Ruler> rulers;
  for (const std::int64_t window : clock.windows) rulers.emplace_back(period_of(clock, window), none);
  Clock corrected(rulers, {}, {});
  std::vector<Expected> all;
  all.reserve(clock.windows.size());
  for (const std::int64_t window : clock.windows) all.emplace_back(clock, window, corrected.begin());
  std::mt19937_64 random(17);
  std::uniform_int_distribution<std::int64_t> lengths(clock.shortest, clock.longest);
  AddedUp<Real> model(clock);
  std::int64_t now = 0;
  for (std::int64_t step = 1; step <= clock.steps; ++step) {
    const std::int64_t tile = clock.windows.front();
    const std::int64_t length = std::min(lengths(random), tile - now % tile);
    const double time = model.advance(length, now + length);
    // Restarts: another clock goes on from the state, as after a checkpoint.
    if (step % 1009 == 0)
      corrected = Clock(rulers, {}, {step - 1, corrected.state().last}, corrected.state());
    const Tick tick = corrected.read({step, time});
    for (Expected& one : all) one.step(tick, now, now + length);
    if (testing::Test::HasFatalFailure()) {
      FAIL() << clock.name << ": step " << step << " at " << now + length << " parts, clock " << std::hexfloat
             << time << ", exact " << tick.exact;
    }
    now += length;
  }
  EXPECT_FALSE(corrected.take_warning());
  EXPECT_GT(all.front().closed(), 10);
  testing::Test::RecordProperty("steps", std::to_string(clock.steps));
  testing::Test::RecordProperty("windows", std::to_string(all.front().closed()));
}

TEST_P(AddedUpClock, gives_the_windows_of_whole_numbers) {
  GetParam().is_single ? compare<float>(GetParam()) : compare<double>(GetParam());
}

constexpr double hour = 3600.0, day = 86400.0;
constexpr double days_to_1850 = 675333.0, julian_day = 2461371.5, hours_to_1900 = 16635000.0,
                 seconds_to_1970 = 1.7e9;

INSTANTIATE_TEST_SUITE_P(
    Double, AddedUpClock,
    testing::Values(
        ClockCase{.name = "thirds of a second", .parts = 3, .windows = {3, 9, 180}},
        ClockCase{.name = "three tenths", .parts = 10, .shortest = 3, .longest = 3, .windows = {600, 36000}},
        ClockCase{.name = "tenths", .parts = 10, .windows = {10, 5, 600}},
        ClockCase{.name = "sevenths", .parts = 7, .windows = {7, 420}},
        ClockCase{.name = "minutes in hours",
                  .seconds_per_unit = hour,
                  .shortest = 60,
                  .longest = 60,
                  .windows = {3600, 86400}},
        ClockCase{.name = "minutes in hours since 1900",
                  .seconds_per_unit = hour,
                  .epoch = hours_to_1900 / 15,
                  .shortest = 60,
                  .longest = 60,
                  .windows = {3600, 86400}},
        ClockCase{.name = "hours in days",
                  .seconds_per_unit = day,
                  .shortest = 3600,
                  .longest = 3600,
                  .windows = {86400, 21600, 864000}},
        ClockCase{.name = "hours in days since 1850",
                  .seconds_per_unit = day,
                  .epoch = 64000.0,
                  .shortest = 3600,
                  .longest = 3600,
                  .windows = {86400, 21600}},
        ClockCase{.name = "hours in days since the year 1",
                  .seconds_per_unit = day,
                  .epoch = days_to_1850 + 64000.0,
                  .shortest = 3600,
                  .longest = 3600,
                  .windows = {86400, 31536000}},
        ClockCase{.name = "hours in Julian days",
                  .seconds_per_unit = day,
                  .epoch = julian_day,
                  .shortest = 3600,
                  .longest = 3600,
                  .windows = {86400}},
        ClockCase{.name = "minutes in days since 1850",
                  .seconds_per_unit = day,
                  .epoch = 64000.0,
                  .shortest = 60,
                  .longest = 60,
                  .windows = {86400, 3600}},
        ClockCase{.name = "quarters in seconds since 1970",
                  .epoch = seconds_to_1970,
                  .parts = 4,
                  .windows = {4, 240}},
        ClockCase{.name = "tenths as products", .parts = 10, .windows = {10, 600}, .multiplies = true}),
    [](const auto& info) { return "case_" + std::to_string(info.index); });

INSTANTIATE_TEST_SUITE_P(
    RandomSteps, AddedUpClock,
    testing::Values(
        ClockCase{.name = "twelfths", .parts = 12, .shortest = 1, .longest = 60, .windows = {720, 7}},
        ClockCase{
            .name = "thousandths", .parts = 1000, .shortest = 1, .longest = 700, .windows = {5000, 60000}},
        ClockCase{.name = "seconds in hours",
                  .seconds_per_unit = hour,
                  .shortest = 1,
                  .longest = 600,
                  .windows = {3600, 86400, 1000}},
        ClockCase{.name = "minutes in days since 1850",
                  .seconds_per_unit = day,
                  .epoch = 64000.0,
                  .parts = 1,
                  .shortest = 240,
                  .longest = 3600,
                  .windows = {86400, 21600 * 8}},
        ClockCase{.name = "steps longer than windows",
                  .parts = 6,
                  .shortest = 1,
                  .longest = 50,
                  .windows = {60, 4}}),
    [](const auto& info) { return "case_" + std::to_string(info.index); });

// In single precision only steps that the number can hold add up: t = t + 0.1 is off by half a step after
// some thousand steps, and such a time tells nobody which step it is.
INSTANTIATE_TEST_SUITE_P(
    Single, AddedUpClock,
    testing::Values(ClockCase{.name = "quarters", .is_single = true, .parts = 4, .windows = {4, 240}},
                    ClockCase{.name = "random quarters",
                              .is_single = true,
                              .parts = 4,
                              .shortest = 1,
                              .longest = 2,
                              .windows = {40, 7}},
                    ClockCase{.name = "hours",
                              .is_single = true,
                              .seconds_per_unit = hour,
                              .shortest = 3600,
                              .longest = 3600,
                              .windows = {86400, 21600}},
                    ClockCase{.name = "three hours in days",
                              .is_single = true,
                              .seconds_per_unit = day,
                              .shortest = 10800,
                              .longest = 10800,
                              .windows = {86400}},
                    ClockCase{
                        .name = "tenths", .is_single = true, .parts = 10, .windows = {10, 50}, .steps = 5000},
                    ClockCase{.name = "hours in days",
                              .is_single = true,
                              .seconds_per_unit = day,
                              .shortest = 3600,
                              .longest = 3600,
                              .windows = {86400},
                              .steps = 4000},
                    ClockCase{.name = "tenths as products",
                              .is_single = true,
                              .parts = 10,
                              .windows = {10, 600},
                              .multiplies = true,
                              .steps = 1'000'000 / (is_long ? 1 : 25)}),
    [](const auto& info) { return "case_" + std::to_string(info.index); });

}  // namespace
}  // namespace tailrace::time
