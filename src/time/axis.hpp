// The time axis of a group of output variables: which samples go into which record, and with what weight.
//
// A sample taken at tick n stands for the interval from the sample before it to tick n. Windows lie on the fixed grid
// k*period; a sample's weight in a window is the overlap of its interval with the window. An instant record takes the
// first sample at or past each k*period and carries that sample's own time. Times that are closer to a window's edge than
// 1e-9 of the period count as lying on the edge. The rules in full, for users: docs/guide/time.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "calendar/calendar.hpp"
#include "model/block.hpp"
#include "time/period.hpp"

namespace tailrace::time {

// When a field is sampled: at ticks whose step number is a multiple of n, or at the first tick at or past each k*T.
// A pure function of the ticks given so far.
class Cadence {
 public:
  Cadence(Period every, const calendar::Calendar& calendar, model::Tick begin);
  bool due(const model::Tick& tick);  // call once for each tick, in order

 private:
  Period every_;
  const calendar::Calendar* calendar_;
  std::int64_t last_ = 0;  // index of the last grid point reached
};

// One record along the time axis. For an instant begin == end == time.
struct TimeRecord {
  std::int64_t index = 0;  // 0, 1, 2, ... in the file
  double begin = 0.0;      // seconds of model time
  double end = 0.0;
  std::int64_t begin_step = 0, end_step = 0;
  bool whole = true;       // false for the last window of a run that ended inside it
};

// What one tick means for every variable on the axis, in the order to be carried out:
// for each share: combine the sample into record `index` with `weight`; if `closes`, emit that record.
struct Share {
  TimeRecord record;    // of a record that is still open, end is where it will close, if that is known
  double weight = 0.0;  // seconds; 1 for an instant
  bool closes = false;
};

enum class AxisKind : std::uint8_t { instant, window };

class Axis {
 public:
  // `begin`: where the model stands before its first step. `calendar` must live longer.
  Axis(AxisKind kind, Period every, Period cadence, const calendar::Calendar& calendar, model::Tick begin);

  // Moves on to a tick. The shares are empty where the field is not sampled or not needed at this tick: `wanted()`
  // then is false, and no sample must be given to the variables of this axis.
  const std::vector<Share>& advance(const model::Tick& tick);
  bool wanted() const { return !shares_.empty(); }
  // The window that is still open at the end of the run, cut off at the last tick; nothing for instants, or when it
  // got no sample.
  std::optional<TimeRecord> finish() const;

 private:
  AxisKind kind_;
  Period every_;
  Cadence cadence_;
  const calendar::Calendar* calendar_;
  std::vector<Share> shares_;
};

}  // namespace tailrace::time
