// Selects the records that give the value of an input field at a model time, with their weights.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "input/timeline.hpp"

namespace tailrace::input {

// A record with bounds stands for its interval: `exact`, `previous`, `next` and `nearest` then take the
// record whose interval contains the time, if there is one. `linear` lies between the middles of intervals;
// in the first half of the first interval and the last half of the last one it is the value of that record.
enum class TimeRule : std::uint8_t {
  exact,     // the record of this time, to a millionth of the distance to its neighbour
  previous,  // the last record that is not later
  next,      // the first record that is not earlier
  nearest,   // of two at the same distance the earlier
  linear,    // between the record before and the one after
  // For means over intervals: a continuous line whose mean over each interval is the record's value. It is
  // straight from the beginning of an interval to its middle and from there to its end. Where two intervals
  // meet it has the value that is linear between their means (of the neighbours' lengths h and means x:
  // (h2 x1 + h1 x2) / (h1 + h2)), and the value in the middle follows: 2 x - (both ends) / 2.
  mean_preserving,
  none,  // the only record, at any time
};

// The value before the first record and after the last one.
enum class Outside : std::uint8_t { refuse, hold, extrapolate };

// Records of a climatology stand for each cycle: `year` keeps their dates, `period` their distance from the
// first record in multiples of a length of time, such as a day.
enum class CycleKind : std::uint8_t { none, year, period };
struct Cycle {
  CycleKind kind = CycleKind::none;
  double seconds = 0.0;  // of `period`
};

struct Part {
  std::int64_t record = 0;  // index in the timeline
  double weight = 1.0;
  // The place of the record in the order in which a run needs them, so that a later time never needs a lower
  // place than an earlier one. Without a cycle it is the index. For a cycle it is the number of the cycle
  // times the number of records plus the position within the cycle; it may be negative.
  std::int64_t place = 0;
  bool operator==(const Part&) const = default;
};
// The value is the sum of weight * record, in this order. The weights add up to 1.
class Selection {
 public:
  // Joins parts of the same record; of the places the first one counts.
  void add(std::int64_t record, double weight, std::int64_t place);
  std::span<const Part> parts() const { return {parts_.data(), count_}; }

 private:
  std::array<Part, 3> parts_{};
  std::size_t count_ = 0;
};

// Both are part of the range.
struct Places {
  std::int64_t lowest = 0, highest = 0;
  bool operator==(const Places&) const = default;
};

// Not thread-safe.
class TimeSelector {
 public:
  struct Options {
    TimeRule rule = TimeRule::linear;
    Cycle cycle;
    Outside before = Outside::refuse, after = Outside::refuse;
  };
  // `timeline`: finished, with one record or more. Throws Error(resource) if the rule cannot be applied:
  // `mean_preserving` without bounds or with gaps, `none` with several records, a cycle shorter than the
  // records cover.
  TimeSelector(Timeline timeline, const Options& options, const calendar::Calendar& model);

  // The records for a time, which is seconds since the start of the run. Throws Error(resource), without the
  // names of the field and its files: for a time outside, and for `exact` without a record of this time.
  Selection at(double time) const;
  // Enclose all places that any time from `from` to `to` needs; times after `from` need none below the
  // lowest. The range may hold places that no time needs, such as that of 29 February in a year without it.
  // Outside of the records it is that of the nearest ones, whatever the rules say.
  Places places(double from, double to) const;
  std::int64_t record_at(std::int64_t place) const;  // REQUIRES: without a cycle, a place of the timeline
  const Timeline& timeline() const { return timeline_; }
  // A record behind the last one could change the value at this time.
  bool may_need_further(double time) const;
  // Adds finished records at the end. REQUIRES: no cycle. Throws as Timeline::lengthen and the constructor.
  void lengthen(std::span<const Record> further);

 private:
  // One record at one place of the time axis; those of a cycle have many.
  struct Placed {
    std::int64_t record = 0;
    double time = 0.0, begin = 0.0, end = 0.0;
    std::int64_t place = 0;
  };
  void check() const;
  void place_all();
  void order_cycle();
  bool is_outside(const std::vector<Placed>& placed, double time, bool before) const;
  Places enclosing(const std::vector<Placed>& placed, double time) const;
  const std::vector<Placed>& around(double time) const;
  void add_year(std::int64_t year, std::vector<Placed>& placed) const;
  Selection linear(const std::vector<Placed>& placed, double time) const;
  Selection stepwise(const std::vector<Placed>& placed, double time) const;
  Selection mean_preserving(const std::vector<Placed>& placed, double time) const;
  Selection outside(const std::vector<Placed>& placed, double time, bool is_before) const;
  std::string text_of(double time) const;

  Timeline timeline_;
  Options options_;
  calendar::Calendar model_;
  // All records; with a cycle, those of the one before `cycle_`, of it, and of the one after.
  mutable std::vector<Placed> placed_;
  mutable std::optional<std::int64_t> cycle_;
  // The records of a cycle in the order of time, and the position of each in that order.
  std::vector<std::int64_t> in_order_, position_;
};

}  // namespace tailrace::input
