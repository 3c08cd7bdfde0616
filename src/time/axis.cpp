#include "time/axis.hpp"

#include <algorithm>

namespace tailrace::time {

Cadence::Cadence(Period every, const calendar::Calendar& calendar, model::Tick begin)
    : ruler_(every, calendar), last_(edge_before(ruler_, begin)) {}

bool Cadence::due(const model::Tick& tick) {
  if (ruler_.kind() == PeriodKind::steps) return tick.step % ruler_.period().count() == 0;
  return passes(ruler_, tick, last_);
}

Axis::Axis(const AxisRule& rule, const calendar::Calendar& calendar, model::Tick begin)
    : kind_(rule.kind),
      last_tick_(begin),
      cadence_(rule.cadence, calendar, begin),
      ruler_(rule.every, calendar),
      convention_(rule.convention),
      last_edge_(convention_->first_edge(ruler_, begin)),
      sampled_step_(begin.step) {
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
  if (!convention_->ends_record(ruler_, tick, last_edge_)) return;
  const TimeRecord instant{next_index_++, tick.time, tick.time, tick.step, tick.step, true};
  shares_.push_back({.record = instant, .weight = 1.0, .fraction = 1.0, .closes = true});
}

void Axis::take_whole_sample(const model::Tick& tick) {
  const WholeSample sample{tick.time, sampled_until_, gathered_};
  const double weight = convention_->weight(ruler_, sample, last_edge_);
  sampled_until_ = tick.time;
  gathered_ += weight;
  const bool closes = convention_->ends_record(ruler_, tick, last_edge_);
  if (weight <= 0.0 && !(closes && window_.has_samples)) return;
  window_.has_samples = true;
  const TimeRecord now{next_index_, window_.begin, tick.time, window_.begin_step, tick.step, window_.whole};
  shares_.push_back({now, weight, weight > 0.0 ? 1.0 : 0.0, closes});
  if (!closes) return;
  ++next_index_;
  gathered_ = 0.0;
  window_ = {.begin = tick.time, .begin_step = tick.step, .whole = true, .has_samples = false};
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
