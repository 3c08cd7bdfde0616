// The time axis of a group of output variables: which samples belong to which record, and with what weight.
//
// A sample at tick n represents the interval from the previous sample to tick n. Windows are on the fixed
// grid k*period; the weight of a sample in a window is the overlap of its interval with the window. An
// instant record is the first sample at or past each k*period, and has the time of that sample. Times are the
// exact ones of the ticks (time::Clock). The full rules, for users: docs/guide/time.md. A Convention other
// than the standard one determines where instants and windows of whole samples end, and the weights in the
// latter; its times are those of the model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "calendar/calendar.hpp"
#include "model/block.hpp"
#include "model/state.hpp"
#include "time/convention.hpp"
#include "time/period.hpp"
#include "time/ruler.hpp"
#include "time/span.hpp"

namespace tailrace::time {

// When a field is sampled: at ticks whose step number is a multiple of n, or at the first tick at or past
// each k*T. It depends only on the ticks so far.
class Cadence {
 public:
  // `begin`: the tick before the model's first step; a grid point there counts if a tick is on it. `calendar`
  // must live longer. Throws Error(configuration) for months if the calendar has none.
  Cadence(Period every, const calendar::Calendar& calendar, model::Tick begin);
  bool due(const model::Tick& tick);  // call once for each tick, in order

  // Lists what is remembered between ticks for a model::NumberSaver or NumberLoader.
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor visit) {
    visit_edge(self.last_, visit);
  }

 private:
  Ruler ruler_;
  LastEdge last_;
};

// One record along the time axis. For an instant begin == end == time.
struct TimeRecord {
  std::int64_t index = 0;  // 0, 1, 2, ... in the file
  double begin = 0.0;      // seconds of model time
  double end = 0.0;
  // The step of the last sample at or before `begin`, and of the last sample in the record: it covers the
  // steps after begin_step up to end_step. Windows in steps begin and end exactly at the steps of their
  // edges.
  std::int64_t begin_step = 0, end_step = 0;
  bool whole = true;  // false if the run began or ended inside the window
  // For a cycle: which of its windows, and where the first of them ended; `begin` and `end` span them all.
  std::int64_t turn = -1;
  double first_end = 0.0;
};

template <class Records, class Visitor>
void visit_records(Records& records, Visitor visit);

// The work at one tick for every variable on the axis, in order. For each share: combine the sample into
// record `index` with `weight` and `fraction`; if `closes`, emit that record.
struct Share {
  TimeRecord record;      // if it is still open, `end` is where it will close, if that is known
  double weight = 0.0;    // seconds; 1 for an instant; 0 if the record only closes
  double fraction = 1.0;  // the part of the sample's interval in this window, which `sum` counts
  bool closes = false;
};

enum class AxisKind : std::uint8_t {
  instant,
  window,
  whole_samples,  // windows that end with the first sample at or past an edge: no sample is cut
  at_end          // one record, at the last tick, of the sample that came last; every tick may have one
};

// Climatological windows: all windows of one month of the year, or of one hour of the day, form one record,
// which is complete when the run ends.
enum class Cycle : std::uint8_t { none, year, day };

// When records are made, and from which ticks.
struct AxisRule {
  AxisKind kind = AxisKind::window;
  Period every = Period::of_steps(1);    // a record
  Period cadence = Period::of_steps(1);  // a sample
  const Convention* convention = &standard_convention();
  Span span = {};  // as if the run began and ended there, save that instants keep to the grid; whole samples
                   // lie in it
  Cycle cycle = Cycle::none;  // of windows: months of a year, lengths of time that divide a day
  bool also_at_end = false;   // of instants: what came behind the last one is a further record, as in at_end
  bool operator==(const AxisRule&) const = default;  // whether the same ticks make the same records

  std::int64_t turns() const;  // how many windows the cycle has; 1 without one
};

// The state of a file of an earlier run that this run appends to.
struct Continued {
  std::int64_t records = 0;  // of the earlier run: new ones are numbered from here
  bool has_begin = false;    // one of them is the instant at which this run begins
  bool operator==(const Continued&) const = default;
};

inline bool is_windowed(AxisKind kind) { return kind == AxisKind::window || kind == AxisKind::whole_samples; }

// One for all variables that share period, cadence and kind, so that the work of a tick is determined once
// for them. Not safe from several threads. It depends only on the ticks, so all servers that have seen the
// same ticks are at the same record without communication.
class Axis {
 public:
  // `begin`: the tick before the model's first step. `calendar` and the convention must live longer.
  Axis(const AxisRule& rule, const calendar::Calendar& calendar, model::Tick begin,
       const Continued& continued = {});

  // Advances to a tick, with its exact time. The shares are empty if the field is not sampled or not needed
  // at this tick; `wanted()` is false then, and the variables of this axis must not get a sample.
  const std::vector<Share>& advance(const model::Tick& tick);
  bool wanted() const { return !shares_.empty(); }
  // The record that the end of the run closes. For windows: the open one, cut off at the last tick, if it has
  // a sample. For at_end: its only record, if there was a tick. For instants: nothing, or with also_at_end
  // one more, if there was a tick after the last one. For whole_samples: nothing, since no sample has ended
  // the window.
  std::optional<TimeRecord> finish() const;
  // All records that the end of the run closes: that one, or those of the cycle that have samples, in the
  // order of time. The latter get their index only here.
  std::vector<TimeRecord> last_records() const;

  // A new file begins after the latest tick: records are numbered from the next multiple of `unit`. If a step
  // was longer than a window, this includes the windows of this tick that begin at `from` or later; their
  // shares are renumbered. Returns the first number of the file.
  std::int64_t begin_file(std::int64_t unit, double from);

  // Lists the state between ticks for a model::NumberSaver or NumberLoader. The shares of the latest tick are
  // not part of it, since state is saved after they were processed.
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor visit);

 private:
  struct Window {
    double begin = 0.0;
    std::int64_t begin_step = 0;
    bool whole = true;
    bool has_samples = false;
  };
  struct Turn {  // a window of a cycle, over all its occurrences
    double begin = 0.0, first_end = 0.0, end = 0.0;
    std::int64_t begin_step = 0, end_step = 0;
    bool has_samples = false;
  };
  struct Edge {
    double time = 0.0;
    std::int64_t end_step = 0;    // of the record before it
    std::int64_t begin_step = 0;  // of the record after it
  };
  bool follows_model() const;
  double stamp(const model::Tick& tick) const;
  void take_instant(const model::Tick& tick);
  void take_last(const model::Tick& tick);
  void take_sample(const model::Tick& tick);
  void take_whole_sample(const model::Tick& tick);
  bool is_inside(double time) const;
  void skip(const model::Tick& tick, double time);
  std::vector<Edge> edges_until(const model::Tick& tick, const Place& place);
  void share(double from, const Edge& to, bool closes, double interval);
  void next_window(const Edge& edge);
  void turn_round(const Edge& to);
  TimeRecord record(double end, std::int64_t end_step, bool whole) const;

  // First the members that every tick needs, on few cache lines: a model's step displaces them from the
  // caches.
  AxisKind kind_;
  std::vector<Share> shares_;
  std::int64_t last_step_;
  double last_time_;
  Cadence cadence_;
  Ruler ruler_;
  // Instants, whole samples: which samples make or end a record.
  const Convention* convention_;
  LastEdge last_edge_;
  std::int64_t next_index_ = 0;  // of the record that is open or comes next
  // Windows only:
  Window window_;               // the open one; of instants, has_samples: a tick may be the last record
  std::int64_t next_edge_ = 0;  // index of the edge that ends it
  std::vector<Edge> passed_;    // windows in steps: edges since the last sample
  double sampled_until_ = 0.0;  // time of the last sample; of what may be the last record
  std::int64_t sampled_step_ = 0;
  double gathered_ = 0.0;    // whole samples: weight of those in the open window
  std::vector<Turn> turns_;  // of a cycle
  Span span_;
  bool ended_ = false;  // a sample has passed the end of the span
  bool also_at_end_;
};

template <class Self, class Visitor>
void Axis::visit_state(Self& self, Visitor visit) {
  visit("last_step", self.last_step_);
  visit("last_time", self.last_time_);
  Cadence::visit_state(self.cadence_, visit.in("cadence"));
  visit_edge(self.last_edge_, visit.in("edge"));
  visit("next_index", self.next_index_);
  visit("window_begin", self.window_.begin);
  visit("window_begin_step", self.window_.begin_step);
  visit("window_whole", self.window_.whole);
  visit("window_has_samples", self.window_.has_samples);
  visit("next_edge", self.next_edge_);
  visit("sampled_until", self.sampled_until_);
  visit("sampled_step", self.sampled_step_);
  visit("gathered", self.gathered_);
  visit("ended", self.ended_);
  model::visit_list(self.turns_, visit.in("turns"), [](auto& turn, auto& number) {
    number("begin", turn.begin);
    number("first_end", turn.first_end);
    number("end", turn.end);
    number("begin_step", turn.begin_step);
    number("end_step", turn.end_step);
    number("has_samples", turn.has_samples);
  });
  model::visit_list(self.passed_, visit.in("passed"), [](auto& edge, auto& number) {
    number("time", edge.time);
    number("end_step", edge.end_step);
    number("begin_step", edge.begin_step);
  });
}

template <class Records, class Visitor>
void visit_records(Records& records, Visitor visit) {
  model::visit_list(records, visit, [](auto& record, auto& number) {
    number("index", record.index);
    number("begin", record.begin);
    number("end", record.end);
    number("begin_step", record.begin_step);
    number("end_step", record.end_step);
    number("whole", record.whole);
    number("turn", record.turn);
    number("first_end", record.first_end);
  });
}

}  // namespace tailrace::time
