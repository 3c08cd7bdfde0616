// Random runs, against a computation that knows nothing of open windows: the whole run is laid out first,
// then every window is compared with every sample's interval. Times are small whole numbers, so all sums are
// exact.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "time/axis.hpp"

namespace tailrace::time {
namespace {

using model::Tick;

struct ModelRun {
  Tick begin;
  Span span;
  std::vector<Tick> ticks;
  Period every = Period::of_steps(1);
  Period cadence = Period::of_steps(1);
};

struct Record {
  double begin = 0.0, end = 0.0;
  std::vector<std::pair<std::int64_t, double>> weights;  // step and weight of each sample
  std::vector<double> fractions;                         // of the intervals, in the order of weights
  bool operator==(const Record&) const = default;
};

void PrintTo(const Record& record, std::ostream* out) {
  *out << "[" << record.begin << ", " << record.end << "]:";
  for (const auto& [step, weight] : record.weights) *out << " " << step << "*" << weight;
}

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

 private:
  std::mt19937 random_;
};

Period any_period(Dice& dice) {
  return dice.pick(0, 1) == 0 ? Period::of_steps(dice.pick(1, 5))
                              : Period::of_seconds(static_cast<double>(dice.pick(1, 9)));
}

// Position of a tick in units of the period.
std::int64_t position(const Period& period, const Tick& tick) {
  return period.kind() == PeriodKind::steps ? tick.step : static_cast<std::int64_t>(tick.time);
}
std::int64_t length(const Period& period) {
  return period.kind() == PeriodKind::steps ? period.count() : static_cast<std::int64_t>(period.seconds());
}
std::int64_t offset(const Period& period) {
  return period.kind() == PeriodKind::steps ? period.offset_count()
                                            : static_cast<std::int64_t>(period.offset_seconds());
}

ModelRun any_run(Dice& dice) {
  ModelRun run;
  run.begin = {dice.pick(0, 1) * dice.pick(0, 30), static_cast<double>(dice.pick(0, 1) * dice.pick(0, 30))};
  Tick tick = run.begin;
  if (dice.pick(0, 2) == 0) run.ticks.push_back(tick);
  for (std::int64_t left = dice.pick(1, 25); left > 0; --left) {
    tick = {tick.step + 1, tick.time + static_cast<double>(dice.pick(1, dice.pick(0, 4) == 0 ? 30 : 4))};
    run.ticks.push_back(tick);
  }
  run.every = any_period(dice);
  run.cadence = any_period(dice);
  if (length(run.every) > 1 && dice.pick(0, 1) == 0) {
    const std::int64_t offset = dice.pick(1, length(run.every) - 1);
    run.every = run.every.with_offset(fmt::format("{}{} {}", dice.pick(0, 1) == 0 ? "-" : "", offset,
                                                  run.every.kind() == PeriodKind::steps ? "steps" : "s"));
  }
  if (dice.pick(0, 2) == 0) run.span.from = static_cast<double>(dice.pick(0, 60));
  if (dice.pick(0, 2) == 0) run.span.until = static_cast<double>(dice.pick(0, 90));
  return run;
}

// The first of `ticks` at or past each multiple of the period that lies after begin, or on it if a tick does.
std::vector<Tick> first_past_each(const ModelRun& run, const Period& period, const std::vector<Tick>& ticks) {
  std::vector<Tick> taken;
  if (ticks.empty()) return taken;
  const std::int64_t n = length(period);
  for (std::int64_t point = offset(period) - n; point <= position(period, ticks.back()); point += n) {
    const std::int64_t start = position(period, run.begin);
    const bool counts = point > start || (point == start && position(period, ticks.front()) == start);
    if (!counts) continue;
    const auto first =
        std::find_if(ticks.begin(), ticks.end(), [&](const Tick& t) { return position(period, t) >= point; });
    if (taken.empty() || taken.back().step != first->step) taken.push_back(*first);
  }
  return taken;
}

std::vector<Tick> samples_of(const ModelRun& run) {
  if (run.cadence.kind() == PeriodKind::seconds) return first_past_each(run, run.cadence, run.ticks);
  std::vector<Tick> samples;
  for (const Tick& tick : run.ticks)
    if (tick.step % run.cadence.count() == 0) samples.push_back(tick);
  return samples;
}

// The times of all edges from the last one before begin to the first one past the end.
std::vector<double> edge_times(const ModelRun& run) {
  std::vector<double> edges{run.begin.time};
  const std::int64_t n = length(run.every);
  const Tick last = run.ticks.back();
  for (std::int64_t point = offset(run.every) - n; point <= position(run.every, last) + n; point += n) {
    if (point <= position(run.every, run.begin)) continue;
    if (run.every.kind() == PeriodKind::seconds) {
      edges.push_back(static_cast<double>(point));
      continue;
    }
    const auto tick =
        std::find_if(run.ticks.begin(), run.ticks.end(), [&](const Tick& t) { return t.step == point; });
    edges.push_back(tick == run.ticks.end() ? 1e9 : tick->time);
  }
  return edges;
}

std::vector<Record> expected_windows(const ModelRun& run) {
  const std::vector<Tick> samples = samples_of(run);
  const std::vector<double> edges = edge_times(run);
  std::vector<Record> records;
  for (std::size_t w = 0; w + 1 < edges.size(); ++w) {
    Record record{std::max(edges[w], run.span.from), std::min({edges[w + 1], 1e9, run.span.until}), {}, {}};
    double from = run.begin.time;
    for (const Tick& sample : samples) {
      const double overlap = std::min(sample.time, record.end) - std::max(from, record.begin);
      if (overlap > 0.0) record.weights.emplace_back(sample.step, overlap);
      if (overlap > 0.0) record.fractions.push_back(overlap / (sample.time - from));
      from = sample.time;
    }
    const bool closed = !samples.empty() && samples.back().time >= record.end;
    if (!closed) record.end = std::min(record.end, run.ticks.back().time);
    if (!record.weights.empty()) records.push_back(record);
  }
  return records;
}

std::vector<Record> windows_of_axis(const ModelRun& run) {
  const calendar::Calendar calendar;
  Axis axis({.kind = AxisKind::window, .every = run.every, .cadence = run.cadence, .span = run.span},
            calendar, run.begin);
  std::vector<Record> records;
  Record open;
  const auto emit = [&](const TimeRecord& record) {
    EXPECT_EQ(record.index, static_cast<std::int64_t>(records.size()));
    open.begin = record.begin;
    open.end = record.end;
    records.push_back(open);
    open = {};
  };
  for (const Tick& tick : run.ticks) {
    for (const Share& share : axis.advance(tick)) {
      if (share.weight > 0.0) open.weights.emplace_back(tick.step, share.weight);
      if (share.weight > 0.0) open.fractions.push_back(share.fraction);
      if (share.closes) emit(share.record);
    }
  }
  if (const auto last = axis.finish()) emit(*last);
  return records;
}

std::string describe(const ModelRun& run) {
  std::string text = run.every.sentence() + ", sampled " + run.cadence.sentence() + ", from step " +
                     std::to_string(run.begin.step) + " at " + std::to_string(run.begin.time) + ":";
  text += fmt::format(" {} to {};", run.span.from, run.span.until);
  for (const Tick& tick : run.ticks) text += fmt::format(" {}", tick.time);
  return text;
}

TEST(AxisProperty, windows_agree_with_comparing_all_windows_with_all_samples) {
  Dice dice(11);
  for (int round = 0; round < 20000; ++round) {
    const ModelRun run = any_run(dice);
    ASSERT_EQ(windows_of_axis(run), expected_windows(run)) << describe(run);
  }
}

TEST(AxisProperty, instants_agree_with_looking_for_each_point) {
  Dice dice(12);
  for (int round = 0; round < 20000; ++round) {
    const ModelRun run = any_run(dice);
    const calendar::Calendar calendar;
    Axis axis({.kind = AxisKind::instant, .every = run.every, .cadence = run.cadence, .span = run.span},
              calendar, run.begin);
    std::vector<std::int64_t> taken, expected;
    for (const Tick& tick : run.ticks)
      if (!axis.advance(tick).empty()) taken.push_back(tick.step);
    for (const Tick& tick : first_past_each(run, run.every, samples_of(run)))
      if (tick.time >= run.span.from && tick.time <= run.span.until) expected.push_back(tick.step);
    ASSERT_EQ(taken, expected) << describe(run);
  }
}

TEST(AxisProperty, weights_add_up_to_the_time_that_was_sampled) {
  Dice dice(13);
  for (int round = 0; round < 2000; ++round) {
    const ModelRun run = any_run(dice);
    const std::vector<Tick> samples = samples_of(run);
    double sum = 0.0;
    for (const Record& record : windows_of_axis(run))
      for (const auto& [step, weight] : record.weights) sum += weight;
    const double begin = std::max(run.begin.time, run.span.from);
    const double end = samples.empty() ? begin : std::min(samples.back().time, run.span.until);
    ASSERT_EQ(sum, std::max(0.0, end - begin)) << describe(run);
  }
}

}  // namespace
}  // namespace tailrace::time
