// The time axis of a group of output variables: which samples go into which record, and with what weight.
//
// A sample taken at tick n stands for the interval from the sample before it to tick n. Windows lie on the
// fixed grid k*period; a sample's weight in a window is the overlap of its interval with the window. An
// instant record takes the first sample at or past each k*period and carries that sample's own time. Times
// that are closer to a window's edge than 1e-9 of the period count as lying on the edge. The rules in full,
// for users: docs/guide/time.md. Where a Convention other than the standard one is followed, it says where
// instants and windows of whole samples end, and how samples weigh in the latter.
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
// each k*T. A pure function of the ticks given so far.
class Cadence {
 public:
  // `begin`: where the model stands before its first step; a grid point there counts if a tick falls on it.
  // `calendar` must live longer. Throws Error(configuration) for months where the calendar has none.
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
  // The step of the last sample at or before `begin`, and of the last sample in the record: it holds the
  // steps after begin_step up to end_step. Windows in steps begin and end with the very steps of their edges.
  std::int64_t begin_step = 0, end_step = 0;
  bool whole = true;  // false where the run began inside the window, or ended inside it
  // Of a cycle: which of its windows, and where the first of them ended; `begin` and `end` span them all.
  std::int64_t turn = -1;
  double first_end = 0.0;
};

template <class Records, class Visitor>
void visit_records(Records& records, Visitor visit);

// What one tick means for every variable on the axis, in the order to be carried out:
// for each share: combine the sample into record `index` with `weight` and `fraction`; if `closes`, emit that
// record.
struct Share {
  TimeRecord record;      // of a record that is still open, end is where it will close, if that is known
  double weight = 0.0;    // seconds; 1 for an instant; 0 where the record only closes
  double fraction = 1.0;  // of the sample's interval that lies in this window: what `sum` counts here
  bool closes = false;
};

enum class AxisKind : std::uint8_t {
  instant,
  window,
  whole_samples,  // windows that end with the first sample at or past an edge: no sample is cut
  at_end          // one record, at the last tick, of the sample that came last; every tick may have one
};

// Windows that come again: all of one month of the year, or of one hour of the day, are one record, which is
// there when the run ends.
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
  bool also_at_end =
      false;  // of instants: what came behind the last one is a further record, as at_end has it
  bool operator==(const AxisRule&) const = default;  // whether the same ticks make the same records

  std::int64_t turns() const;  // how many windows the cycle has; 1 without one
};

// Where a run goes on in a file that an earlier run left.
struct Continued {
  std::int64_t records = 0;  // of the earlier run: those that come are numbered from here
  bool has_begin = false;    // one of them is the instant at which this run begins
  bool operator==(const Continued&) const = default;
};

inline bool is_windowed(AxisKind kind) { return kind == AxisKind::window || kind == AxisKind::whole_samples; }

// One for all variables that share period, cadence and kind: what a tick means is the same for them,
// and is worked out once. Not safe from several threads. It depends on the ticks alone, so every server that
// has seen the same ticks stands at the same record without a word.
class Axis {
 public:
  // `begin`: where the model stands before its first step. `calendar` and the convention must live longer.
  Axis(const AxisRule& rule, const calendar::Calendar& calendar, model::Tick begin,
       const Continued& continued = {});

  // Moves on to a tick. The shares are empty where the field is not sampled or not needed at this tick:
  // `wanted()` then is false, and no sample must be given to the variables of this axis.
  const std::vector<Share>& advance(const model::Tick& tick);
  bool wanted() const { return !shares_.empty(); }
  // The window that is still open at the end of the run, cut off at the last tick; nothing for instants, or
  // when it got no sample. Of at_end its one record, where there was a tick, and of instants with also_at_end
  // one more, where there was a tick behind the last; of whole_samples nothing, since no sample has ended the
  // window.
  std::optional<TimeRecord> finish() const;
  // All records that the end of the run closes: that one, or those of the cycle that have samples, in the
  // order of time. Only then do these have an index.
  std::vector<TimeRecord> last_records() const;

  // A file of its own begins behind the latest tick: records are numbered from the next multiple of `unit`
  // on. So are those windows of this tick that begin at `from` or later, where a step was longer than a
  // window. The first number of that file; the shares have their new ones.
  std::int64_t begin_file(std::int64_t unit, double from);

  // Lists what is remembered between ticks for a model::NumberSaver or NumberLoader. The shares of the latest
  // tick are not part of it: state is saved when they have been carried out.
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor visit);

 private:
  struct Window {
    double begin = 0.0;
    std::int64_t begin_step = 0;
    bool whole = true;
    bool has_samples = false;
  };
  struct Turn {  // a window of a cycle, over all times that it came
    double begin = 0.0, first_end = 0.0, end = 0.0;
    std::int64_t begin_step = 0, end_step = 0;
    bool has_samples = false;
  };
  struct Edge {
    double time = 0.0;
    std::int64_t end_step = 0;    // of the record before it
    std::int64_t begin_step = 0;  // of the record after it
  };
  void take_instant(const model::Tick& tick);
  void take_last(const model::Tick& tick);
  void take_sample(const model::Tick& tick);
  void take_whole_sample(const model::Tick& tick);
  bool is_inside(const model::Tick& tick) const;
  void skip(const model::Tick& tick, double time);
  std::vector<Edge> edges_until(const model::Tick& tick, const Place& place);
  void share(double from, const Edge& to, bool closes, double interval);
  void next_window(const Edge& edge);
  void turn_round(const Edge& to);
  TimeRecord record(double end, std::int64_t end_step, bool whole) const;

  // First what every tick needs: a model's step finds it in no cache.
  AxisKind kind_;
  std::vector<Share> shares_;
  model::Tick last_tick_;
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
  visit("last_step", self.last_tick_.step);
  visit("last_time", self.last_tick_.time);
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
