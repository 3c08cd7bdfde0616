#include "plan/file_clock.hpp"

#include <utility>

namespace tailrace::plan {

FileClock::FileClock(const FilePlan& file, std::size_t number, const calendar::Calendar& calendar,
                     model::Tick begin, ClockLimits limits)
    : number_(number),
      write_(file.entry.write_every, calendar, begin),
      limits_(std::move(limits)),
      tick_(begin) {
  if (file.entry.series) series_.emplace(file, calendar, begin);
  gathered_.lengths.assign(file.axes.size(), 0);
  committed_ = gathered_.lengths;
  gathered_.records.resize(file.axes.size());
}

void FileClock::append(std::size_t axis, const time::TimeRecord& record) {
  gathered_.records[axis].push_back(record);
  gathered_.lengths[axis] = record.index + 1;
  bytes_ += limits_.bytes_per_record[axis];
}

std::optional<CommitDue> FileClock::advance(const AxisBank& axes, const model::Tick& tick) {
  tick_ = tick;
  for (std::size_t axis = 0; axis < gathered_.lengths.size(); ++axis) {
    for (const time::Share& share : axes.shares(axes.number(number_, axis)))
      if (share.closes) append(axis, share.record);
  }
  const bool due = series_ ? series_->ends(tick) : write_.due(tick);
  const bool has_any = bytes_ > 0 || (due && !part_.empty());
  if (!has_any || (!due && bytes_ < limits_.most_bytes)) return std::nullopt;
  return take(false, due && series_);
}

CommitDue FileClock::finish(const AxisBank& axes) {
  for (std::size_t axis = 0; axis < gathered_.lengths.size(); ++axis) {
    if (const auto record = axes.axis(axes.number(number_, axis)).finish()) append(axis, *record);
  }
  return take(true, false);
}

std::string FileClock::name_part(bool ended) {
  if (!series_) return {};
  if (part_.empty()) part_ = ended ? series_->ended() : series_->open(tick_);
  return ended ? std::exchange(part_, {}) : part_;
}

CommitDue FileClock::take(bool final, bool ends_part) {
  CommitDue due = gathered_;
  due.tick = tick_;
  due.final = final;
  due.ends_part = ends_part;
  due.part = name_part(ends_part);
  for (auto& records : gathered_.records) records.clear();
  bytes_ = 0;
  committed_ = due.lengths;
  return due;
}

}  // namespace tailrace::plan
