#include "plan/commit_clock.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tailrace::plan {
namespace {

constexpr std::size_t commit_share = 4;  // part of the memory, for the files of a component together

}  // namespace

std::size_t most_bytes_of_commit(std::size_t memory, const Plan& plan) {
  return memory / commit_share / std::max<std::size_t>(1, plan.files.size());
}

CommitClock::CommitClock(const DatasetPlan& file, std::size_t number, const calendar::Calendar& calendar,
                         model::Tick begin, ClockLimits limits)
    : number_(number),
      write_(file.entry.write_every, calendar, begin),
      each_write_ends_(file.entry.series),
      limits_(std::move(limits)),
      tick_(begin) {
  gathered_.begins.assign(file.axes.size(), 0);
  for (const AxisPlan& axis : file.axes) gathered_.lengths.push_back(axis.continued.records);
  committed_ = gathered_.lengths;
  ends_with_step_ = file.entry.series && file.entry.write_every.kind() == time::PeriodKind::steps &&
                    std::ranges::all_of(file.axes, [](const AxisPlan& axis) { return axis.also_at_end; });
  gathered_.records.resize(file.axes.size());
  if (file.axes.empty()) bytes_ = 1;  // a file with only fixed fields commits, too
}

CommitDue take_until(CommitDue& due, std::int64_t step) {
  CommitDue taken = due;
  const auto later = std::find_if(due.closed_lengths.begin(), due.closed_lengths.end(),
                                  [step](const AxisLengths& closing) { return closing.step > step; });
  for (std::size_t axis = 0; axis < due.lengths.size(); ++axis) {
    const std::int64_t before = due.lengths[axis] - std::ssize(due.records[axis]);
    taken.lengths[axis] = later == due.closed_lengths.begin() ? before : std::prev(later)->lengths[axis];
    const auto cut = taken.lengths[axis] - before;
    taken.records[axis].resize(static_cast<std::size_t>(cut));
    due.records[axis].erase(due.records[axis].begin(), due.records[axis].begin() + cut);
  }
  taken.closed_lengths.assign(due.closed_lengths.begin(), later);
  due.closed_lengths.erase(due.closed_lengths.begin(), later);
  return taken;
}

void CommitClock::append(std::size_t axis, const time::TimeRecord& record, std::int64_t step) {
  gathered_.records[axis].push_back(record);
  gathered_.lengths[axis] = record.index + 1;
  if (gathered_.closed_lengths.empty() || gathered_.closed_lengths.back().step != step)
    gathered_.closed_lengths.push_back({step, {}});
  gathered_.closed_lengths.back().lengths = gathered_.lengths;
  bytes_ += limits_.bytes_per_record[axis];
}

// If the file ended with the latest tick, `of_next_file` selects the records after its end; otherwise those
// in it.
void CommitClock::append_closed(const AxisBank& axes, bool of_next_file) {
  const bool ended = axes.file_ended(number_);
  for (std::size_t axis = 0; axis < gathered_.lengths.size(); ++axis) {
    for (const time::Share& share : axes.shares(axes.number(number_, axis))) {
      const bool is_next = ended && share.record.index >= axes.begin_of_file(number_, axis);
      if (share.closes && is_next == of_next_file) append(axis, share.record, tick_.step);
    }
  }
}

std::optional<CommitDue> CommitClock::advance(const AxisBank& axes, const model::Tick& tick) {
  tick_ = tick;
  append_closed(axes, false);
  const bool ended = axes.file_ended(number_);
  const bool is_written = write_.due(axes.tick()) && !each_write_ends_;
  const bool due = ended || is_written;
  const bool has_any = bytes_ > 0 || (ended && !part_.empty());
  std::optional<CommitDue> commit;
  if (has_any && (due || bytes_ >= limits_.most_bytes)) commit = take(axes, false, ended);
  if (ended) begin_file(axes);
  return commit;
}

void CommitClock::begin_file(const AxisBank& axes) {
  for (std::size_t axis = 0; axis < gathered_.lengths.size(); ++axis)
    gathered_.begins[axis] = gathered_.lengths[axis] = axes.begin_of_file(number_, axis);
  committed_ = gathered_.lengths;
  append_closed(axes, true);
}

CommitDue CommitClock::finish(const AxisBank& axes) {
  if (ends_with_step_ && bytes_ == 0 && part_.empty()) part_ = axes.series(number_)->of_last_step(tick_);
  for (std::size_t axis = 0; axis < gathered_.lengths.size(); ++axis) {
    for (const time::TimeRecord& record : axes.axis(axes.number(number_, axis)).last_records())
      append(axis, record, INT64_MAX);  // no step completes it
  }
  return take(axes, true, false);
}

std::optional<CommitDue> CommitClock::commit_until(const AxisBank& axes, const model::Tick& tick) {
  if (gathered_.closed_lengths.empty() || gathered_.closed_lengths.front().step > tick.step)
    return std::nullopt;
  CommitDue due = take_until(gathered_, tick.step);
  due.tick = tick;
  due.part = name_part(axes, false);
  for (std::size_t axis = 0; axis < due.records.size(); ++axis)
    bytes_ -= due.records[axis].size() * limits_.bytes_per_record[axis];
  committed_ = due.lengths;
  return due;
}

// State is saved between two steps, so it has no half-finished commits.
void CommitClock::load(model::NumberLoader loader) {
  visit_state(*this, std::move(loader));
  gathered_.closed_lengths = {{tick_.step, gathered_.lengths}};
}

CommitDue CommitClock::gathered(const AxisBank& axes) {
  CommitDue due = gathered_;
  due.part = name_part(axes, false);
  return due;
}

std::string CommitClock::name_part(const AxisBank& axes, bool ended) {
  const SeriesClock* series = axes.series(number_);
  if (series == nullptr) return {};
  if (part_.empty()) part_ = ended ? series->ended() : series->open(tick_);
  return ended ? std::exchange(part_, {}) : part_;
}

CommitDue CommitClock::take(const AxisBank& axes, bool final, bool ends_part) {
  CommitDue due = gathered_;
  due.tick = tick_;
  due.final = final;
  due.ends_part = ends_part;
  due.part = name_part(axes, ends_part);
  for (auto& records : gathered_.records) records.clear();
  gathered_.closed_lengths.clear();
  bytes_ = 0;
  committed_ = due.lengths;
  return due;
}

}  // namespace tailrace::plan
