// The model's clock, read against the grids of the run.
//
// Most models add up their time (t = t + dt), so that it drifts by the rounding of every step, in whatever
// unit and precision they count. A tick whose time is within a tolerance of a point of a grid has reached
// that point: it gets the point's time, and later times are counted on from there (as a watch that is set at
// each known time). So the rounding of one stretch between two points matters, and not that of the whole run.
//
// The tolerance is a millionth of the time since the last such point (or of the period, if that is shorter;
// at least of the step), or the rounding of the steps since then, if the numbers show that it is larger; but
// at most a tenth of the step. The clock is set back to the model's time where steps turn out not to meet the
// grid (they may be of any length), and where it is off by more than half a step and cannot be followed.
// docs/guide/time.md has the rule for users.
//
// The lengths of steps stay those of the model, so no step vanishes, however short.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/block.hpp"
#include "time/ruler.hpp"

namespace tailrace::time {

// The state between ticks, in seconds.
struct ClockState {
  double set_at = 0.0, set_to = 0.0;  // where it was set last: the model's time, and the true one
  double last = 0.0, last_exact = 0.0;
  std::int64_t steps = 0;  // since it was set
  double longest = 0.0;    // of these steps
  // The smallest bit in any time so far, counted in s, in h and in d, while all times are numbers of single
  // precision in that unit; 0 once one was not.
  std::array<double, 3> smallest_bits{infinity, infinity, infinity};
  bool operator==(const ClockState&) const = default;

  static constexpr double infinity = std::numeric_limits<double>::infinity();
};

// Lists the numbers for a model::NumberSaver or NumberLoader.
template <class State, class Visitor>
void visit_clock(State& state, Visitor visit) {
  visit("set_at", state.set_at);
  visit("set_to", state.set_to);
  visit("last", state.last);
  visit("last_exact", state.last_exact);
  visit("steps", state.steps);
  visit("longest", state.longest);
  visit("smallest_bit_in_s", state.smallest_bits[0]);
  visit("smallest_bit_in_h", state.smallest_bits[1]);
  visit("smallest_bit_in_d", state.smallest_bits[2]);
}

// One thread.
class Clock {
 public:
  // `points`: single times of interest, in any order. The calendars of the rulers must live longer. Rulers in
  // steps have no times, and are ignored. A run that does not continue from a state has no steps yet that
  // tell the tolerance: there `begin` is at a point within 1e-9 of the period or of the time itself.
  Clock(const std::vector<Ruler>& rulers, const std::vector<double>& points, const model::Tick& begin);
  Clock(const std::vector<Ruler>& rulers, const std::vector<double>& points, const model::Tick& begin,
        const ClockState& state);

  const model::Tick& begin() const { return begin_; }  // with its exact time
  // Returns the tick with its exact time. Once for each tick, in order; exact times never decrease, and grow
  // wherever the model's do.
  model::Tick read(const model::Tick& tick);

  const ClockState& state() const { return state_; }
  void restore(const ClockState& state) { state_ = state; }
  // A sentence for the user when the clock could not be followed, or stands still; each once.
  std::optional<std::string> take_warning();

 private:
  struct Grid {
    Ruler ruler;
    std::int64_t index = 0;  // of `before`
    double before = 0.0, after = 0.0;
    bool passed = false;  // by the present tick
    // A step met its last point, or none was passed yet.
    bool holds = true;
  };
  struct Nearest {
    double time = 0.0;
    double distance = ClockState::infinity;
    void look(double point, double from, double reach);
  };
  Nearest nearest(double time, double length, double since, double error);
  void look_up(Grid& grid, double time);
  void set_to_begin();
  void note_precision(double time);
  double error_per_step(double time) const;
  double counted(double time) const;
  void set(double at, double to);
  void set_to_point(double at, double point);
  bool are_passed_between_points();
  void note_loss(const model::Tick& tick, double off);
  void note_standstill(const model::Tick& tick);

  std::vector<Grid> grids_;
  std::vector<double> points_;
  model::Tick begin_;
  ClockState state_;
  std::optional<std::string> warning_;
  bool is_lost_ = false, has_moved_ = false;
  std::int64_t still_ = 0;  // steps since it moved
};

}  // namespace tailrace::time
