// When a file of a series ends and the next one begins, and what is in their names: a pure function of the
// model's ticks. A file ends with the first sample at or past each multiple of `write_every`; its name has
// the last multiple before its end. With `legacy: monc` as MONC does it: a period counts from the end of the
// file before, and the name has that number of periods.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/plan.hpp"

namespace tailrace::session {

class SeriesClock {
 public:
  // `calendar` must live longer.
  SeriesClock(const FilePlan& file, const calendar::Calendar& calendar, model::Tick begin);

  // Whether the file ends with this tick. Call once for each tick, in order.
  bool ends(const model::Tick& tick);
  // What the name of the file has that the last ends() ended: 100.0 (seconds), 40 (steps), 2026-02-01
  // (months).
  std::string ended() const { return name_of(index_); }
  // Of the file that is open at `last`: the multiple that comes next, or the step where none ever does.
  std::string open(const model::Tick& last) const;

 private:
  bool passes(const model::Tick& tick);
  std::string name_of(std::int64_t index) const;

  time::Period every_;
  const calendar::Calendar* calendar_;
  bool as_monc_;
  std::vector<time::Cadence> samples_;  // when fields of the file are sampled
  time::Ruler ruler_;
  time::Crossing crossing_;
  std::int64_t index_ = 0;  // of the multiple that ended the last file
  double ended_at_ = 0.0;   // MONC only
};

// out/a.nc becomes out/a_100.0.nc. MONC looks for the first point of a name, which here is that behind the
// folders.
std::string path_of_part(const std::string& path, const std::string& part, bool as_monc);

}  // namespace tailrace::session
