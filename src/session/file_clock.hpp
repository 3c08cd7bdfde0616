// When a file commits, and which records that commit holds: a pure function of the model's ticks, so that
// chunk owners and the file's owner agree without a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/axis_bank.hpp"
#include "session/plan.hpp"
#include "session/series_clock.hpp"

namespace tailrace::session {

struct CommitDue {
  std::vector<std::int64_t> lengths;                   // records, by axis of the file
  std::vector<std::vector<time::TimeRecord>> records;  // new since the last commit, by axis
  model::Tick tick;
  bool final = false;
  // Of a series: what the name of its file has, and whether that file holds nothing more.
  std::string part;
  bool ends_part = false;
};

class FileClock {
 public:
  // `bytes_per_record`: unencoded, by axis. A commit is due at the first tick at or past each multiple of
  // `write_every`, and earlier when `most_bytes` have gathered, so that memory stays bounded however rarely
  // the user wants to write. Of a series, each commit that is due ends a file.
  FileClock(const FilePlan& file, std::size_t number, const calendar::Calendar& calendar, model::Tick begin,
            std::vector<std::size_t> bytes_per_record, std::size_t most_bytes);

  // After `axes` have advanced to `tick`.
  std::optional<CommitDue> advance(const AxisBank& axes, const model::Tick& tick);
  // The end of the run: the windows that are still open close at its last tick.
  CommitDue finish(const AxisBank& axes);

 private:
  CommitDue take(bool final, bool ends_part);
  std::string name_part(bool ended);
  void append(std::size_t axis, const time::TimeRecord& record);

  std::size_t number_;
  time::Cadence write_;
  std::optional<SeriesClock> series_;
  std::string part_;  // the name of the open file, once it is known
  std::vector<std::size_t> bytes_per_record_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  model::Tick tick_;
  CommitDue gathered_;
};

}  // namespace tailrace::session
