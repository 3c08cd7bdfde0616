#include "time/axis.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace tailrace::time {

Cadence::Cadence(Period every, const calendar::Calendar& calendar, model::Tick begin)
    : ruler_(every, calendar), last_(edge_before(ruler_, begin)) {}

bool Cadence::due(const model::Tick& tick) {
  if (ruler_.kind() == PeriodKind::steps) return ruler_.place(tick).on_edge;
  return passes(ruler_, tick, last_);
}

std::int64_t AxisRule::turns() const {
  switch (cycle) {
    case Cycle::none: return 1;
    case Cycle::year: return 12 / every.count();
    case Cycle::day: return std::llround(86400.0 / every.seconds());
  }
  return 1;
}

Axis::Axis(const AxisRule& rule, const calendar::Calendar& calendar, model::Tick begin,
           const Continued& continued)
    : kind_(rule.kind),
      last_step_(begin.step),
      last_time_(begin.exact),
      cadence_(rule.cadence, calendar, begin),
      ruler_(rule.every, calendar),
      convention_(rule.convention),
      last_edge_(convention_->first_edge(ruler_, begin)),
      next_index_(continued.records),
      sampled_until_(ruler_.place(begin).time),
      sampled_step_(begin.step),
      turns_(rule.cycle == Cycle::none ? 0 : static_cast<std::size_t>(rule.turns())),
      span_(rule.span),
      also_at_end_(rule.also_at_end || rule.kind == AxisKind::at_end) {
  if (continued.has_begin) last_edge_.begin_is_open = false;
  // The edges of windows in steps are not at known times: they begin with the run, and skip() moves them.
  const bool waits = rule.span.from > begin.exact && ruler_.kind() != PeriodKind::steps;
  const Place place = ruler_.place(waits ? model::Tick{begin.step, rule.span.from} : begin);
  window_ = {.begin = place.time, .begin_step = begin.step, .whole = place.on_edge, .has_samples = false};
  next_edge_ = place.index + 1;
}

const std::vector<Share>& Axis::advance(const model::Tick& tick) {
  shares_.clear();
  const bool sampled = cadence_.due(tick);
  if (kind_ == AxisKind::at_end) {
    take_last(tick);
  } else if (kind_ == AxisKind::instant) {
    if (sampled) take_instant(tick);
    if (also_at_end_) {
      window_.has_samples = false;
      if (shares_.empty()) take_last(tick);
    }
  } else if (kind_ == AxisKind::whole_samples) {
    if (sampled) take_whole_sample(tick);
  } else if (!ended_) {
    if (ruler_.kind() == PeriodKind::steps)
      for (const std::int64_t passed = ruler_.place(tick).index; next_edge_ <= passed; ++next_edge_)
        passed_.push_back({tick.exact, tick.step, tick.step});
    if (sampled) take_sample(tick);
  }
  last_step_ = tick.step;
  last_time_ = follows_model() ? tick.time : tick.exact;
  return shares_;
}

// Other conventions imitate programs that take the model's clock as it is.
bool Axis::follows_model() const { return convention_ != &standard_convention(); }

double Axis::stamp(const model::Tick& tick) const {
  return follows_model() ? tick.time : ruler_.place(tick).time;
}

std::int64_t Axis::begin_file(std::int64_t unit, double from) {
  const auto moved = std::ranges::find_if(shares_, [&](const Share& share) {
    const double reach = 1e-9 * std::max(1.0, std::abs(share.record.begin));
    return kind_ == AxisKind::window && share.record.begin + reach >= from;
  });
  const std::int64_t first = moved == shares_.end() ? next_index_ : moved->record.index;
  const std::int64_t skipped = (unit - first % unit) % unit;
  for (auto share = moved; share != shares_.end(); ++share) share->record.index += skipped;
  next_index_ += skipped;
  return first + skipped;
}

void Axis::take_instant(const model::Tick& tick) {
  const double time = stamp(tick);
  if (!convention_->ends_record(ruler_, tick, last_edge_) || !is_inside(time)) return;
  const TimeRecord instant{next_index_++, time, time, tick.step, tick.step, true};
  shares_.push_back({.record = instant, .weight = 1.0, .fraction = 1.0, .closes = true});
}

// The present tick may be the last one.
void Axis::take_last(const model::Tick& tick) {
  const double time = stamp(tick);
  if (!is_inside(time)) return;
  window_.has_samples = true;
  sampled_until_ = time;
  sampled_step_ = tick.step;
  shares_.push_back({{next_index_, time, time, tick.step, tick.step, true}, 1.0, 1.0, false});
}

void Axis::take_whole_sample(const model::Tick& tick) {
  const double time = stamp(tick);
  const WholeSample sample{time, sampled_until_, gathered_};
  const double weight = convention_->weight(ruler_, sample, last_edge_);
  const bool closes = convention_->ends_record(ruler_, tick, last_edge_);
  if (!is_inside(sampled_until_) || !is_inside(time)) return skip(tick, time);
  sampled_until_ = time;
  gathered_ += weight;
  if (weight <= 0.0 && !(closes && window_.has_samples)) return;
  window_.has_samples = true;
  const TimeRecord now{next_index_, window_.begin, time, window_.begin_step, tick.step, window_.whole};
  shares_.push_back({now, weight, weight > 0.0 ? 1.0 : 0.0, closes});
  if (!closes) return;
  ++next_index_;
  gathered_ = 0.0;
  window_ = {.begin = time, .begin_step = tick.step, .whole = true, .has_samples = false};
}

// Times of the model and the user's dates may differ by rounding.
bool Axis::is_inside(double time) const {
  const double reach = 1e-9 * std::max(1.0, std::abs(time));
  return time >= span_.from - reach && time <= span_.until + reach;
}

// For a sample before or after the span: the next window begins with it at the earliest.
void Axis::skip(const model::Tick& tick, double time) {
  passed_.clear();
  gathered_ = 0.0;
  window_.begin_step = tick.step;
  if (kind_ == AxisKind::whole_samples) window_ = {.begin = time, .begin_step = tick.step, .whole = false};
  sampled_until_ = time;
  sampled_step_ = tick.step;
}

// Cuts the interval from the last sample to this one at the edges of windows.
void Axis::take_sample(const model::Tick& tick) {
  const Place place = ruler_.place(tick);
  if (place.time <= span_.from) return skip(tick, place.time);
  const double interval = place.time - sampled_until_;
  const double until = std::min(place.time, span_.until);
  if (window_.begin < span_.from && ruler_.kind() == PeriodKind::steps)
    window_ = {.begin = span_.from, .begin_step = sampled_step_, .whole = false, .has_samples = false};
  double from = std::max(sampled_until_, window_.begin);
  for (const Edge& edge : edges_until(tick, place)) {
    if (edge.time < window_.begin) continue;  // of windows in steps, before the span
    if (edge.time > until) break;
    share(from, edge, true, interval);
    next_window(edge);
    from = edge.time;
  }
  ended_ = place.time >= span_.until;
  if (ended_) window_.whole = false;
  share(from, {until, tick.step, tick.step}, ended_, interval);
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
  // There is nothing to add, but a window with samples must be closed even if its last steps have no length.
  if (weight <= 0.0 && !(closes && window_.has_samples)) return;
  const double end =
      closes || ruler_.kind() == PeriodKind::steps ? to.time : std::min(ruler_.edge(next_edge_), span_.until);
  window_.has_samples = true;
  const double fraction = weight > 0.0 ? weight / interval : 0.0;  // exactly 1 if the interval is not cut
  shares_.push_back({record(end, to.end_step, window_.whole), weight, fraction, closes});
  if (closes) ++next_index_;
  if (!turns_.empty()) turn_round(to);
}

// Assigns the latest share, of a sample up to that edge, to its window in the cycle.
void Axis::turn_round(const Edge& to) {
  Share& share = shares_.back();
  if (share.weight <= 0.0) return shares_.pop_back();
  const double middle = 0.5 * (share.record.begin + to.time);
  const auto count = std::ssize(turns_);
  share.record.turn = (ruler_.place({0, middle}).index % count + count) % count;
  share.closes = false;
  Turn& turn = turns_[base::index(share.record.turn)];
  if (!turn.has_samples)
    turn = {.begin = share.record.begin, .begin_step = share.record.begin_step, .has_samples = true};
  if (share.record.begin == turn.begin) turn.first_end = to.time;
  turn.end = to.time;
  turn.end_step = to.end_step;
}

void Axis::next_window(const Edge& edge) {
  window_ = {.begin = edge.time, .begin_step = edge.begin_step, .whole = true, .has_samples = false};
}

TimeRecord Axis::record(double end, std::int64_t end_step, bool whole) const {
  return {next_index_, window_.begin, end, window_.begin_step, end_step, whole};
}

std::vector<TimeRecord> Axis::last_records() const {
  std::vector<TimeRecord> records;
  for (std::size_t t = 0; t < turns_.size(); ++t) {
    const Turn& turn = turns_[t];
    if (turn.has_samples)
      records.push_back({.begin = turn.begin,
                         .end = turn.end,
                         .begin_step = turn.begin_step,
                         .end_step = turn.end_step,
                         .turn = static_cast<std::int64_t>(t),
                         .first_end = turn.first_end});
  }
  std::ranges::sort(records, {}, &TimeRecord::begin);
  for (std::size_t i = 0; i < records.size(); ++i) records[i].index = static_cast<std::int64_t>(i);
  if (turns_.empty())
    if (const auto last = finish()) records.push_back(*last);
  return records;
}

std::optional<TimeRecord> Axis::finish() const {
  if (kind_ == AxisKind::whole_samples || !window_.has_samples || ended_) return std::nullopt;
  if (also_at_end_)
    return TimeRecord{next_index_, sampled_until_, sampled_until_, sampled_step_, sampled_step_, true};
  if (ruler_.kind() == PeriodKind::steps) {
    const Edge end = passed_.empty() ? Edge{last_time_, sampled_step_, 0} : passed_.front();
    return record(std::min(end.time, span_.until), end.end_step, false);
  }
  const double end =
      std::min({ruler_.edge(next_edge_), ruler_.place({last_step_, last_time_}).time, span_.until});
  return record(end, sampled_step_, false);
}

}  // namespace tailrace::time
