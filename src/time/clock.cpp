#include "time/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailrace::time {
namespace {

constexpr double millionth = 1e-6;
constexpr double most_of_step = 0.1;    // a step that ends farther from a point has not reached it
constexpr double most_drift = 0.5;      // of a step: beyond, another step is nearer
constexpr double least_advance = 0.25;  // of a step, while a clock that was lost is set back
constexpr double begin_reach = 1e-9;
constexpr std::int64_t many_steps = 100;  // at one time: no model does that on purpose once its time moves
constexpr std::array<double, 3> units{1.0, 3600.0, 86400.0};

// The value of the lowest bit that is set.
double smallest_bit(float number) {
  int exponent = 0;
  const float mantissa = std::frexp(number, &exponent);
  auto bits = static_cast<std::int64_t>(std::ldexp(mantissa, std::numeric_limits<float>::digits));
  int zeros = 0;
  for (; bits != 0 && bits % 2 == 0; bits /= 2) ++zeros;
  return std::ldexp(1.0, exponent - std::numeric_limits<float>::digits + zeros);
}

// The distance between neighbouring numbers of single precision.
double spacing_in_single(double number) {
  int exponent = 0;
  std::frexp(number, &exponent);
  return std::ldexp(1.0, exponent - std::numeric_limits<float>::digits);
}

double half_spacing(double number) { return 0.5 * std::numeric_limits<double>::epsilon() * std::abs(number); }

}  // namespace

Clock::Clock(const std::vector<Ruler>& rulers, const std::vector<double>& points, const model::Tick& begin)
    : Clock(rulers, points, begin,
            {.set_at = begin.time, .set_to = begin.time, .last = begin.time, .last_exact = begin.time}) {
  set_to_begin();
}

Clock::Clock(const std::vector<Ruler>& rulers, const std::vector<double>& points, const model::Tick& begin,
             const ClockState& state)
    : begin_(begin), state_(state) {
  for (const Ruler& ruler : rulers) {
    if (ruler.kind() == PeriodKind::steps) continue;
    grids_.push_back({.ruler = ruler});
    look_up(grids_.back(), counted(begin.time));
  }
  std::ranges::copy_if(points, std::back_inserter(points_),
                       [](double point) { return std::isfinite(point); });
  begin_.exact = counted(begin.time);
}

void Clock::Nearest::look(double point, double from, double reach) {
  const double away = std::abs(point - from);
  if (away > reach || away >= distance) return;
  time = point;
  distance = away;
}

void Clock::set_to_begin() {
  Nearest found;
  const double of_time = begin_reach * std::abs(begin_.time);
  for (const Grid& grid : grids_) {
    const double period = grid.after - grid.before;
    const double reach = std::max(begin_reach * period, std::min(of_time, 1e-3 * period));
    found.look(grid.before, begin_.time, reach);
    found.look(grid.after, begin_.time, reach);
  }
  for (const double point : points_) found.look(point, begin_.time, of_time);
  if (!std::isfinite(found.distance)) return;
  begin_.exact = found.time;
  set_to_point(begin_.time, found.time);
  state_.last_exact = found.time;
}

void Clock::look_up(Grid& grid, double time) {
  grid.index = grid.ruler.place({0, time}).index;
  grid.before = grid.ruler.edge(grid.index);
  grid.after = grid.ruler.edge(grid.index + 1);
}

// The time on from where the clock was set: exactly that at that point. Where it was set to the model's own
// time the sum would only round.
double Clock::counted(double time) const {
  return state_.set_to == state_.set_at ? time : state_.set_to + (time - state_.set_at);
}

void Clock::set_to_point(double at, double point) {
  set(at, point);
  for (Grid& grid : grids_) {
    if (point >= grid.after) look_up(grid, point);
    const bool is_met = grid.ruler.place({0, point}).on_edge;
    if (is_met || grid.passed) grid.holds = is_met;
  }
}

// Whether the steps meet no grid any more.
bool Clock::are_passed_between_points() {
  bool any_passed = false, any_holds = false;
  for (Grid& grid : grids_) {
    if (grid.passed) grid.holds = false;
    any_passed = any_passed || grid.passed;
    any_holds = any_holds || grid.holds;
  }
  return any_passed && !any_holds && state_.set_at != state_.set_to;
}

void Clock::set(double at, double to) {
  state_.set_at = at;
  state_.set_to = to;
  state_.steps = 0;
  state_.longest = 0.0;
}

// `since`: from where the clock was set. `error`: of each step since then.
Clock::Nearest Clock::nearest(double time, double length, double since, double error) {
  Nearest found;
  const auto reach_of = [&](double stretch) {
    const double steps = 1.0 + static_cast<double>(state_.steps) * std::min(1.0, stretch / since);
    return std::max(millionth * std::max(length, std::min(stretch, since)), error * steps);
  };
  for (Grid& grid : grids_) {
    grid.passed = time >= grid.after;
    if (grid.passed) look_up(grid, time);
    const double period = grid.after - grid.before;
    const double reach = std::min(most_of_step * std::min(length, period), reach_of(period));
    found.look(grid.before, time, reach);
    found.look(grid.after, time, reach);
  }
  const double reach = std::min(most_of_step * length, reach_of(since));
  for (const double point : points_) found.look(point, time, reach);
  return found;
}

// A clock in single precision betrays itself: no time has a bit that single precision cannot hold. It rounds
// only from where the bits that its first times had are lost.
void Clock::note_precision(double time) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    double& bit = state_.smallest_bits[u];
    if (bit == 0.0 || time == 0.0) continue;
    const double number = time / units[u];
    const auto single = static_cast<float>(number);
    bit = static_cast<double>(single) == number ? std::min(bit, smallest_bit(single)) : 0.0;
  }
}

// The error that a step adds to the clock.
double Clock::error_per_step(double time) const {
  double of_single = ClockState::infinity;
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (state_.smallest_bits[u] == 0.0) continue;
    const double spacing = spacing_in_single(time / units[u]);
    of_single = std::min(of_single, spacing > state_.smallest_bits[u] ? 0.5 * spacing * units[u] : 0.0);
  }
  return std::isfinite(of_single) ? of_single : half_spacing(time);
}

std::optional<std::string> Clock::take_warning() { return std::exchange(warning_, std::nullopt); }

void Clock::note_loss(const model::Tick& tick, double off) {
  if (std::exchange(is_lost_, true)) return;
  warning_ = fmt::format(
      "the model's clock is off by {:.3g} s, more than half a step, at step {} ({} s), as rounding adds up "
      "in "
      "t = t + dt; from there on windows and snapshots follow it as it is, and may have a step more or less. "
      "Compute the time as t0 + k * dt, in double precision",
      std::abs(off), tick.step, tick.time);
}

void Clock::note_standstill(const model::Tick& tick) {
  if (!has_moved_ || ++still_ != many_steps) return;
  warning_ = fmt::format(
      "the model's clock has stood still for {} steps, at {} s up to step {}, so they count in no window; in "
      "single precision t + dt is t once t is large. Compute the time as t0 + k * dt, in double precision",
      many_steps, tick.time, tick.step);
}

model::Tick Clock::read(const model::Tick& tick) {
  model::Tick read = tick;
  const double length = tick.time - state_.last;
  read.exact = state_.last_exact;
  if (length <= 0.0) return note_standstill(tick), read;
  has_moved_ = true;
  still_ = 0;
  note_precision(tick.time);
  ++state_.steps;
  state_.longest = std::max(state_.longest, length);
  read.exact = counted(tick.time);
  const Nearest found = nearest(read.exact, length, tick.time - state_.set_at, error_per_step(tick.time));
  const bool is_at_point = std::isfinite(found.distance);
  const bool is_lost = is_at_point && std::abs(tick.time - found.time) > most_drift * state_.longest;
  if (is_lost) note_loss(tick, tick.time - found.time);
  if (is_at_point && !is_lost) {
    read.exact = found.time;
    set_to_point(tick.time, found.time);
  } else if (is_lost || are_passed_between_points()) {
    // Times still grow.
    read.exact = std::max(tick.time, state_.last_exact + least_advance * length);
    set(tick.time, read.exact);
  }
  if (read.exact <= state_.last_exact) read.exact = std::nextafter(state_.last_exact, ClockState::infinity);
  state_.last = tick.time;
  state_.last_exact = read.exact;
  return read;
}

}  // namespace tailrace::time
