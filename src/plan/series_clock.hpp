// When a file of a series ends and the next one begins, and what is in their names: a pure function of the
// model's ticks. By the standard convention a file ends with the first sample at or past each multiple of
// `write_every`, and its name has the last multiple before its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tailrace::plan {

class SeriesClock {
 public:
  // `calendar` must live longer.
  SeriesClock(const FilePlan& file, const calendar::Calendar& calendar, model::Tick begin);

  // Whether the file ends with this tick. Call once for each tick, in order.
  bool ends(const model::Tick& tick);
  // What the name of the file has that the last ends() ended: 100.0 (seconds), 40 (steps), 2026-02-01
  // (months).
  std::string ended() const { return name_of(last_.index); }
  // Of the file that is open at `last`: the multiple that comes next, or the step where none ever does.
  std::string open(const model::Tick& last) const;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor visit) {
    time::visit_edge(self.last_, visit.in("edge"));
    for (std::size_t i = 0; i < self.samples_.size(); ++i)
      time::Cadence::visit_state(self.samples_[i], visit.in("cadence/" + std::to_string(i)));
  }

 private:
  std::string name_of(std::int64_t index) const;

  time::Period every_;
  const calendar::Calendar* calendar_;
  const time::Convention* convention_;
  std::vector<time::Cadence> samples_;  // when fields of the file are sampled
  time::Ruler ruler_;
  time::LastEdge last_;  // that ended a file
};

// out/a.nc becomes out/a_100.0.nc.
std::string path_of_part(const std::string& path, const std::string& part,
                         const time::Convention& convention);

// Of the file into which the first records of a run go that begins at that tick.
std::string first_path(const FilePlan& file, const calendar::Calendar& calendar, const model::Tick& begin);

}  // namespace tailrace::plan
