#include "input/time_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::input {
namespace {

constexpr double same_part = 1e-6;
constexpr double longest_year = 366 * 86400.0;
constexpr std::int64_t some_leap_year = 2000;  // in all calendars that have any

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

template <class Placed>
bool is_gap(const Placed& before, const Placed& after) {
  return after.begin - before.end > same_part * (before.end - before.begin);
}

}  // namespace

void Selection::add(std::int64_t record, double weight, std::int64_t place) {
  const auto there = std::find_if(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(count_),
                                  [record](const Part& part) { return part.record == record; });
  if (there != parts_.begin() + static_cast<std::ptrdiff_t>(count_)) {
    there->weight += weight;
  } else {
    TAILRACE_ASSERT(count_ < parts_.size(), "a value needs three records at most");
    parts_[count_++] = {record, weight, place};
  }
}

TimeSelector::TimeSelector(Timeline timeline, const Options& options, const calendar::Calendar& model)
    : timeline_(std::move(timeline)), options_(options), model_(model) {
  TAILRACE_ASSERT(!timeline_.records().empty(), "a timeline has records");
  check();
  options_.cycle.kind == CycleKind::none ? place_all() : order_cycle();
}

void TimeSelector::place_all() {
  for (std::size_t i = placed_.size(); i < timeline_.records().size(); ++i) {
    const Record& one = timeline_.records()[i];
    const auto number = static_cast<std::int64_t>(i);
    placed_.push_back({number, one.time, one.begin, one.end, number});
  }
}

// The records of a cycle of a year are ordered by their dates, and those of a year may begin in summer. Leap
// years have all dates.
void TimeSelector::order_cycle() {
  const std::size_t count = timeline_.records().size();
  position_.assign(count, 0);
  if (options_.cycle.kind == CycleKind::year) {
    std::vector<Placed> placed;
    add_year(some_leap_year, placed);
    std::ranges::stable_sort(placed, {}, &Placed::time);
    for (const Placed& one : placed) in_order_.push_back(one.record);
    TAILRACE_ASSERT(in_order_.size() == count, "a leap year has all dates");
    placed.clear();
    add_year(some_leap_year + 1, placed);
    if (placed.empty()) refuse("all records are of 29 February, which `cycle: year` cannot use");
  } else {
    for (std::size_t i = 0; i < count; ++i) in_order_.push_back(static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 0; i < in_order_.size(); ++i)
    position_[base::index(in_order_[i])] = static_cast<std::int64_t>(i);
}

void TimeSelector::lengthen(std::span<const Record> further) {
  TAILRACE_ASSERT(options_.cycle.kind == CycleKind::none, "a cycle does not become longer");
  timeline_.lengthen(further);
  check();
  place_all();
}

bool TimeSelector::may_need_further(double time) const {
  const Record& last = timeline_.records().back();
  if (options_.cycle.kind != CycleKind::none) return false;
  switch (options_.rule) {
    case TimeRule::none: return false;
    case TimeRule::linear: return time > last.time;
    case TimeRule::mean_preserving: return time >= last.begin;
    default: return time > last.end;
  }
}

void TimeSelector::check() const {
  const auto& records = timeline_.records();
  const double covered = records.back().time - records.front().time;
  if (options_.rule == TimeRule::none && records.size() > 1)
    refuse(fmt::format("there are {} records, but `time: none` expects one", records.size()));
  if (options_.rule == TimeRule::mean_preserving && !timeline_.has_bounds())
    refuse("the time axis has no bounds, and means can only be kept over the intervals that bounds give");
  if (timeline_.is_climatology() && options_.cycle.kind != CycleKind::year)
    refuse("the time axis is a climatology; expected `cycle: year`");
  if (options_.cycle.kind == CycleKind::year && !model_.has_months())
    refuse("`cycle: year` needs dates, and `model_time.calendar` is none");
  if (options_.cycle.kind == CycleKind::year && !timeline_.is_climatology() && covered >= longest_year)
    refuse(fmt::format("the records cover {:.1f} days, but `cycle: year` expects those of one year",
                       covered / 86400.0));
  if (options_.cycle.kind == CycleKind::period && !(covered < options_.cycle.seconds))
    refuse(fmt::format("the records cover {} s, which is not less than the cycle of {} s", covered,
                       options_.cycle.seconds));
  for (std::size_t i = 1; options_.rule == TimeRule::mean_preserving && i < records.size(); ++i)
    if (!timeline_.is_climatology() && is_gap(records[i - 1], records[i]))
      refuse(fmt::format(
          "there is a gap between the intervals that end {} and begin {}, so the means cannot be kept",
          text_of(records[i - 1].end), text_of(records[i].begin)));
}

std::string TimeSelector::text_of(double time) const {
  return model_.has_months() ? "at " + calendar::format_date(model_.date_of(time))
                             : fmt::format("{} s after the start of the run", time);
}

// A record keeps its date in each year; 29 February has no place in a year without it. The bounds of a
// climatology are dates of different years, and the interval is the one between the dates in one year.
void TimeSelector::add_year(std::int64_t year, std::vector<Placed>& placed) const {
  const auto in_year = [&](double time, std::int64_t of_year) -> std::optional<double> {
    calendar::Date date = model_.date_of(time);
    date.year = of_year;
    if (date.day > calendar::days_in_month(model_.rule(), date.year, date.month)) return std::nullopt;
    return model_.seconds_of(date);
  };
  for (std::size_t i = 0; i < timeline_.records().size(); ++i) {
    const Record& one = timeline_.records()[i];
    const auto begin = in_year(one.begin, year);
    auto end = one.begin == one.end ? begin : in_year(one.end, year);
    if (begin && end && one.begin != one.end && *end <= *begin) end = in_year(one.end, year + 1);
    if (begin && end)
      placed.push_back({static_cast<std::int64_t>(i), *begin + (*end - *begin) / 2, *begin, *end,
                        year * static_cast<std::int64_t>(position_.size()) + position_[i]});
  }
}

const std::vector<TimeSelector::Placed>& TimeSelector::around(double time) const {
  if (options_.cycle.kind == CycleKind::none) return placed_;
  const auto& records = timeline_.records();
  const double length = options_.cycle.seconds;
  const std::int64_t cycle =
      options_.cycle.kind == CycleKind::year
          ? model_.date_of(time).year
          : static_cast<std::int64_t>(std::floor((time - records.front().time) / length));
  if (cycle_ == cycle) return placed_;
  cycle_ = cycle;
  placed_.clear();
  for (std::int64_t one = cycle - 1; one <= cycle + 1; ++one) {
    if (options_.cycle.kind == CycleKind::year) {
      add_year(one, placed_);
      continue;
    }
    const double shift = static_cast<double>(one) * length;
    for (std::size_t i = 0; i < records.size(); ++i)
      placed_.push_back({static_cast<std::int64_t>(i), records[i].time + shift, records[i].begin + shift,
                         records[i].end + shift,
                         one * static_cast<std::int64_t>(records.size()) + static_cast<std::int64_t>(i)});
  }
  std::ranges::stable_sort(placed_, {}, &Placed::time);
  return placed_;
}

Selection TimeSelector::at(double time) const {
  const auto& placed = around(time);
  if (options_.rule == TimeRule::none) {
    Selection only;
    only.add(0, 1.0, 0);
    return only;
  }
  if (options_.rule != TimeRule::exact)
    for (const bool before : {true, false})
      if (is_outside(placed, time, before)) return outside(placed, time, before);
  switch (options_.rule) {
    case TimeRule::linear: return linear(placed, time);
    case TimeRule::mean_preserving: return mean_preserving(placed, time);
    default: return stepwise(placed, time);
  }
}

bool TimeSelector::is_outside(const std::vector<Placed>& placed, double time, bool before) const {
  const double step = placed.back().end - placed.front().begin;
  const double same = same_part * step / static_cast<double>(placed.size());
  return before ? placed.front().begin - time > same : time - placed.back().end > same;
}

Places TimeSelector::places(double from, double to) const {
  const Places first = enclosing(around(from), from);
  return {first.lowest, std::max(first.highest, enclosing(around(to), to).highest)};
}

// It does not ask at(), whose parts lack a record where its weight happens to be 0.
Places TimeSelector::enclosing(const std::vector<Placed>& placed, double time) const {
  const std::size_t last = placed.size() - 1;
  // The two last ones are extrapolated later.
  const bool keeps_two =
      options_.cycle.kind == CycleKind::none && options_.after == Outside::extrapolate && last > 0;
  const auto from_to = [&](std::size_t low, std::size_t high) {
    return Places{placed[keeps_two ? std::min(low, last - 1) : low].place,
                  placed[std::min(high, last)].place};
  };
  if (options_.rule == TimeRule::none) return {0, 0};
  if (is_outside(placed, time, true)) return from_to(0, options_.before == Outside::extrapolate ? 1 : 0);
  if (is_outside(placed, time, false)) return from_to(last, last);
  const bool by_middle = options_.rule == TimeRule::linear;
  const auto after = std::ranges::upper_bound(placed, time, {}, by_middle ? &Placed::time : &Placed::begin);
  const auto next = static_cast<std::size_t>(after - placed.begin());
  const std::size_t own = next == 0 ? 0 : next - 1;
  switch (options_.rule) {
    case TimeRule::mean_preserving: return from_to(own == 0 ? 0 : own - 1, own + 1);
    case TimeRule::linear: return from_to(own, next > 0 && placed[own].time == time ? own : next);
    default: return from_to(own, next);
  }
}

std::int64_t TimeSelector::record_at(std::int64_t place) const {
  if (options_.cycle.kind == CycleKind::none) return place;
  const std::int64_t count = std::ssize(in_order_);
  return in_order_[base::index((place % count + count) % count)];
}

Selection TimeSelector::outside(const std::vector<Placed>& placed, double time, bool is_before) const {
  const Placed& edge = is_before ? placed.front() : placed.back();
  Selection selection;
  switch (is_before ? options_.before : options_.after) {
    case Outside::hold: selection.add(edge.record, 1.0, edge.place); return selection;
    case Outside::extrapolate: {
      if (placed.size() < 2) refuse("one record alone cannot be extrapolated; expected `hold`");
      const Placed& inner = is_before ? placed[1] : placed[placed.size() - 2];
      const double part = (time - edge.time) / (inner.time - edge.time);
      selection.add(edge.record, 1.0 - part, edge.place);
      selection.add(inner.record, part, inner.place);
      return selection;
    }
    default:
      refuse(fmt::format("a value is needed {}, but the {} record {} {}", text_of(time),
                         is_before ? "first" : "last", is_before ? "begins" : "ends",
                         text_of(is_before ? edge.begin : edge.end)));
  }
}

Selection TimeSelector::linear(const std::vector<Placed>& placed, double time) const {
  const auto after = std::ranges::upper_bound(placed, time, {}, &Placed::time);
  Selection selection;
  if (after == placed.begin() || after == placed.end()) {
    const Placed& edge = after == placed.begin() ? placed.front() : placed.back();
    selection.add(edge.record, 1.0, edge.place);
    return selection;
  }
  const auto before = after - 1;
  const double part = (time - before->time) / (after->time - before->time);
  selection.add(before->record, 1.0 - part, before->place);
  if (part > 0.0) selection.add(after->record, part, after->place);
  return selection;
}

// The last record that begins at the time or before contains it, or lies before it; without bounds an
// interval is one time.
Selection TimeSelector::stepwise(const std::vector<Placed>& placed, double time) const {
  const auto after = std::ranges::upper_bound(placed, time, {}, &Placed::begin);
  const auto* before = after == placed.begin() ? nullptr : &*(after - 1);
  const auto* next = after == placed.end() ? nullptr : &*after;
  Selection selection;
  const auto take = [&](const Placed& one) {
    selection.add(one.record, 1.0, one.place);
    return selection;
  };
  const double same = same_part * (before && next ? next->begin - before->begin : 1.0);
  if (before && time < before->end + (before->begin == before->end ? same : 0.0)) return take(*before);
  if (before && !next && time <= before->end) return take(*before);
  if (next && next->begin - time <= same) return take(*next);
  switch (options_.rule) {
    case TimeRule::previous: return take(*before);
    case TimeRule::next: return take(*next);
    case TimeRule::nearest:
      return take(!next || (before && time - before->end <= next->begin - time) ? *before : *next);
    default:
      refuse(fmt::format("there is no record {}; {}{}{}", text_of(time),
                         before ? "the one before is " + text_of(before->time) : "",
                         before && next ? ", and " : "",
                         next ? "the next one is " + text_of(next->time) : ""));
  }
}

Selection TimeSelector::mean_preserving(const std::vector<Placed>& placed, double time) const {
  const auto after = std::ranges::upper_bound(placed, time, {}, &Placed::begin);
  const auto own = after == placed.begin() ? after : after - 1;
  const double length = own->end - own->begin;
  if (time - own->end > same_part * length)
    refuse(fmt::format("a value is needed {}, in a gap between the intervals of the records", text_of(time)));
  // The value where two intervals meet: `there` times the neighbour's mean plus the rest of its own.
  const auto share = [&](bool of_next) {
    if (of_next ? own + 1 == placed.end() : own == placed.begin()) return 0.0;
    const Placed& other = of_next ? *(own + 1) : *(own - 1);
    if (of_next ? is_gap(*own, other) : is_gap(other, *own)) return 0.0;
    return length / (length + (other.end - other.begin));
  };
  const double left = share(false), right = share(true);
  const double place = std::clamp((time - own->begin) / length, 0.0, 1.0);
  // Straight lines: from the left end to the middle, and from the middle to the right end.
  const double of_left = std::max(0.0, 1.0 - 2.0 * place), of_right = std::max(0.0, 2.0 * place - 1.0);
  const double of_middle = 1.0 - of_left - of_right;
  const double left_weight = left * (of_left - of_middle / 2),
               right_weight = right * (of_right - of_middle / 2);
  Selection selection;
  if (left_weight != 0.0) selection.add((own - 1)->record, left_weight, (own - 1)->place);
  selection.add(own->record, 1.0 - left_weight - right_weight, own->place);
  if (right_weight != 0.0) selection.add((own + 1)->record, right_weight, (own + 1)->place);
  return selection;
}

}  // namespace tailrace::input
