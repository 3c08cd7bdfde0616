#include "plan/file_clock.hpp"

#include <algorithm>
#include <cstdint>
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

CommitDue take_until(CommitDue& due, std::int64_t step) {
  CommitDue taken = due;
  const auto later = std::find_if(due.closings.begin(), due.closings.end(),
                                  [step](const Closing& closing) { return closing.step > step; });
  for (std::size_t axis = 0; axis < due.lengths.size(); ++axis) {
    const std::int64_t before = due.lengths[axis] - std::ssize(due.records[axis]);
    taken.lengths[axis] = later == due.closings.begin() ? before : std::prev(later)->lengths[axis];
    const auto cut = taken.lengths[axis] - before;
    taken.records[axis].resize(static_cast<std::size_t>(cut));
    due.records[axis].erase(due.records[axis].begin(), due.records[axis].begin() + cut);
  }
  taken.closings.assign(due.closings.begin(), later);
  due.closings.erase(due.closings.begin(), later);
  return taken;
}

void FileClock::append(std::size_t axis, const time::TimeRecord& record, std::int64_t step) {
  gathered_.records[axis].push_back(record);
  gathered_.lengths[axis] = record.index + 1;
  if (gathered_.closings.empty() || gathered_.closings.back().step != step)
    gathered_.closings.push_back({step, {}});
  gathered_.closings.back().lengths = gathered_.lengths;
  bytes_ += limits_.bytes_per_record[axis];
}

std::optional<CommitDue> FileClock::advance(const AxisBank& axes, const model::Tick& tick) {
  tick_ = tick;
  for (std::size_t axis = 0; axis < gathered_.lengths.size(); ++axis) {
    for (const time::Share& share : axes.shares(axes.number(number_, axis)))
      if (share.closes) append(axis, share.record, tick.step);
  }
  const bool due = series_ ? series_->ends(tick) : write_.due(tick);
  const bool has_any = bytes_ > 0 || (due && !part_.empty());
  if (!has_any || (!due && bytes_ < limits_.most_bytes)) return std::nullopt;
  return take(false, due && series_);
}

CommitDue FileClock::finish(const AxisBank& axes) {
  for (std::size_t axis = 0; axis < gathered_.lengths.size(); ++axis) {
    if (const auto record = axes.axis(axes.number(number_, axis)).finish())
      append(axis, *record, INT64_MAX);  // no step makes it whole
  }
  return take(true, false);
}

std::optional<CommitDue> FileClock::commit_until(const model::Tick& tick) {
  if (gathered_.closings.empty() || gathered_.closings.front().step > tick.step) return std::nullopt;
  CommitDue due = take_until(gathered_, tick.step);
  due.tick = tick;
  due.part = name_part(false);
  for (std::size_t axis = 0; axis < due.records.size(); ++axis)
    bytes_ -= due.records[axis].size() * limits_.bytes_per_record[axis];
  committed_ = due.lengths;
  return due;
}

// State is saved between two steps, so what is in it is whole.
void FileClock::load(model::NumberLoader loader) {
  visit_state(*this, std::move(loader));
  gathered_.closings = {{tick_.step, gathered_.lengths}};
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
  gathered_.closings.clear();
  bytes_ = 0;
  committed_ = due.lengths;
  return due;
}

}  // namespace tailrace::plan
