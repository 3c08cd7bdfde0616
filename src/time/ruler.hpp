// The fixed grid of windows and instants: k*period plus the period's offset. Its origin is step 0, the
// midnight at or before the start of model time (time 0 if the calendar has no dates), or January of year 0.
// A grid that began with each run would give other windows after a restart.
#pragma once

#include <cstdint>

#include "calendar/calendar.hpp"
#include "model/block.hpp"
#include "time/period.hpp"

namespace tailrace::time {

// The place of a tick on the grid.
struct Place {
  std::int64_t index = 0;  // of the last edge at or before the tick
  double time = 0.0;       // the tick's exact time; that of the edge if they differ by rounding
  bool on_edge = false;
};

class Ruler {
 public:
  // `calendar` must live longer. Throws Error(configuration) for months if the calendar has none.
  Ruler(const Period& period, const calendar::Calendar& calendar);

  const Period& period() const { return period_; }
  PeriodKind kind() const { return period_.kind(); }
  // By the tick's exact time, with no tolerance beyond the rounding of the edges themselves: time::Clock
  // decides which ticks are on an edge.
  Place place(const model::Tick& tick) const;
  double edge(
      std::int64_t index) const;  // seconds of model time; not for steps, whose times only the ticks tell

 private:
  Period period_;
  const calendar::Calendar* calendar_;
  double origin_ = 0.0;  // of lengths of time: the edge of index 0, in seconds of model time
};

// The edge that the ticks passed last, as plain values that can be saved.
struct LastEdge {
  std::int64_t index = 0;      // on the grid; for conventions without a grid, how many were passed
  double time = 0.0;           // of the sample that passed it, if the next edge depends on it
  bool begin_is_open = false;  // the run begins on it, and no tick has come yet
  bool operator==(const LastEdge&) const = default;
};

// Lists the numbers for a model::NumberSaver or NumberLoader.
template <class Edge, class Visitor>
void visit_edge(Edge& edge, Visitor visit) {
  visit("index", edge.index);
  visit("time", edge.time);
  visit("begin_is_open", edge.begin_is_open);
}

// The last edge on the grid for a run that begins at that tick. The edge at `begin` itself counts only if a
// tick is on it.
LastEdge edge_before(const Ruler& ruler, const model::Tick& begin);
// Whether a tick is the first at or past an edge of the grid; several edges passed at once count as one.
// Ticks in order.
bool passes(const Ruler& ruler, const model::Tick& tick, LastEdge& last);

}  // namespace tailrace::time
