// The fixed grid k*period on which windows and instants lie.
#pragma once

#include <cstdint>

#include "calendar/calendar.hpp"
#include "model/block.hpp"
#include "time/period.hpp"

namespace tailrace::time {

// Where a tick stands on the grid.
struct Place {
  std::int64_t index = 0;  // of the last edge at or before the tick
  double time = 0.0;       // the tick's time, moved onto the edge where it is as good as on it
  bool on_edge = false;
};

class Ruler {
 public:
  // `calendar` must live longer. Throws Error(configuration) for months where the calendar has none.
  Ruler(const Period& period, const calendar::Calendar& calendar);

  PeriodKind kind() const { return period_.kind(); }
  Place place(const model::Tick& tick) const;
  double edge(
      std::int64_t index) const;  // seconds of model time; not for steps, whose times only the ticks tell

 private:
  Period period_;
  const calendar::Calendar* calendar_;
};

// Tells the first tick at or past each edge; several edges passed at once count as one.
class Crossing {
 public:
  // The edge on which `begin` itself stands counts only if a tick falls on it.
  Crossing(const Ruler& ruler, const model::Tick& begin);
  bool passes(const model::Tick& tick);  // ticks in order

 private:
  Ruler ruler_;
  std::int64_t last_ = 0;
  bool begin_is_open_ = false;  // begin stands on an edge and no tick has come yet
};

}  // namespace tailrace::time
