#include "time/axis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace tailrace::time {

Cadence::Cadence(Period every, const calendar::Calendar& calendar, model::Tick begin)
    : every_(every), crossing_(Ruler(every, calendar), begin) {}

bool Cadence::due(const model::Tick& tick) {
  if (every_.kind() == PeriodKind::steps) return tick.step % every_.count() == 0;
  return crossing_.passes(tick);
}

Axis::Axis(AxisKind kind, Period every, Period cadence, const calendar::Calendar& calendar, model::Tick begin,
           Edges edges)
    : kind_(kind),
      edges_(edges),
      last_tick_(begin),
      cadence_(cadence, calendar, begin),
      ruler_(every, calendar),
      crossing_(ruler_, begin),
      sampled_step_(begin.step),
      period_(every.seconds()) {
  TAILRACE_ASSERT(edges == Edges::grid || every.kind() == PeriodKind::seconds, "only seconds drift");
  const Place place = ruler_.place(begin);
  window_ = {.begin = place.time, .begin_step = begin.step, .whole = place.on_edge, .has_samples = false};
  next_edge_ = place.index + 1;
  sampled_until_ = place.time;
}

const std::vector<Share>& Axis::advance(const model::Tick& tick) {
  shares_.clear();
  const bool sampled = cadence_.due(tick);
  if (kind_ == AxisKind::at_end) {
    window_.has_samples = true;
    shares_.push_back({{0, tick.time, tick.time, tick.step, tick.step, true}, 1.0, 1.0, false});
  } else if (kind_ == AxisKind::instant) {
    if (sampled) take_instant(tick);
  } else if (kind_ == AxisKind::whole_samples) {
    if (sampled) take_whole_sample(tick);
  } else {
    if (ruler_.kind() == PeriodKind::steps)
      for (const std::int64_t passed = ruler_.place(tick).index; next_edge_ <= passed; ++next_edge_)
        passed_.push_back({tick.time, tick.step, tick.step});
    if (sampled) take_sample(tick);
  }
  last_tick_ = tick;
  return shares_;
}

void Axis::take_instant(const model::Tick& tick) {
  if (!ends_record(tick)) return;
  const TimeRecord instant{next_index_++, tick.time, tick.time, tick.step, tick.step, true};
  shares_.push_back({.record = instant, .weight = 1.0, .fraction = 1.0, .closes = true});
}

void Axis::take_whole_sample(const model::Tick& tick) {
  const double weight = weight_of(tick);
  const bool closes = ends_record(tick);
  if (weight <= 0.0 && !(closes && window_.has_samples)) return;
  window_.has_samples = true;
  const TimeRecord now{next_index_, window_.begin, tick.time, window_.begin_step, tick.step, window_.whole};
  shares_.push_back({now, weight, weight > 0.0 ? 1.0 : 0.0, closes});
  if (!closes) return;
  ++next_index_;
  window_ = {.begin = tick.time, .begin_step = tick.step, .whole = true, .has_samples = false};
}

bool Axis::ends_record(const model::Tick& tick) {
  if (edges_ == Edges::grid) return crossing_.passes(tick);
  constexpr double units = 1e7;  // in which MONC counts
  if (std::trunc(tick.time * units) - std::trunc(drifted_from_ * units) < period_ * units) return false;
  drifted_from_ = tick.time;
  return true;
}

// MONC's average is a = (T*a + d*x)/(T + d), with T since the begin of the window, d since the last sample:
// so a sample's weight is to that of all before it as d to T, and any may be the first one's.
double Axis::weight_of(const model::Tick& tick) {
  const double interval = tick.time - sampled_until_;
  sampled_until_ = tick.time;
  if (edges_ == Edges::grid) return interval;
  const double since_begin = tick.time - drifted_from_;
  const double since_last = tick.time - std::exchange(previous_, tick.time);
  if (!window_.has_samples) return weight_ = 1.0;
  const double weight = since_begin > 0.0 ? weight_ * (since_last / since_begin) : 0.0;
  weight_ += weight;
  return weight;
}

// Cuts the interval from the last sample to this one at the edges of windows.
void Axis::take_sample(const model::Tick& tick) {
  const Place place = ruler_.place(tick);
  double from = sampled_until_;
  const double interval = place.time - sampled_until_;
  for (const Edge& edge : edges_until(tick, place)) {
    share(from, edge, true, interval);
    next_window(edge);
    from = edge.time;
  }
  share(from, {place.time, tick.step, tick.step}, false, interval);
  sampled_until_ = place.time;
  sampled_step_ = tick.step;
}

std::vector<Axis::Edge> Axis::edges_until(const model::Tick& tick, const Place& place) {
  std::vector<Edge> edges;
  if (ruler_.kind() == PeriodKind::steps) {
    edges.swap(passed_);
    return edges;
  }
  for (; next_edge_ <= place.index; ++next_edge_) {
    const double time = ruler_.edge(next_edge_);
    edges.push_back({time, tick.step, time == place.time ? tick.step : sampled_step_});
  }
  return edges;
}

void Axis::share(double from, const Edge& to, bool closes, double interval) {
  const double weight = to.time - from;
  // Nothing to add; but a window with samples still has to be closed when its last steps have no length.
  if (weight <= 0.0 && !(closes && window_.has_samples)) return;
  const double end = closes || ruler_.kind() == PeriodKind::steps ? to.time : ruler_.edge(next_edge_);
  window_.has_samples = true;
  const double fraction = weight > 0.0 ? weight / interval : 0.0;  // exactly 1 where nothing is cut
  shares_.push_back({record(end, to.end_step, window_.whole), weight, fraction, closes});
  if (closes) ++next_index_;
}

void Axis::next_window(const Edge& edge) {
  window_ = {.begin = edge.time, .begin_step = edge.begin_step, .whole = true, .has_samples = false};
}

TimeRecord Axis::record(double end, std::int64_t end_step, bool whole) const {
  return {next_index_, window_.begin, end, window_.begin_step, end_step, whole};
}

std::optional<TimeRecord> Axis::finish() const {
  if (kind_ == AxisKind::instant || kind_ == AxisKind::whole_samples || !window_.has_samples)
    return std::nullopt;
  if (kind_ == AxisKind::at_end)
    return TimeRecord{0, last_tick_.time, last_tick_.time, last_tick_.step, last_tick_.step, true};
  if (ruler_.kind() == PeriodKind::steps) {
    const Edge end = passed_.empty() ? Edge{last_tick_.time, sampled_step_, 0} : passed_.front();
    return record(end.time, end.end_step, false);
  }
  return record(std::min(ruler_.edge(next_edge_), ruler_.place(last_tick_).time), sampled_step_, false);
}

}  // namespace tailrace::time
