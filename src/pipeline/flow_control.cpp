#include "pipeline/flow_control.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"

namespace tailrace::pipeline {

FlowControl::FlowControl(const Blueprint& blueprint, ControlChannel& control, std::size_t most)
    : control_(control),
      owners_(blueprint.info.number, control.size()),
      most_(most),
      due_(blueprint.plan.files.size()),
      written_(due_.size(), model::static_step),
      unsaved_(due_.size()),
      saved_(written_),
      reported_(due_.size()) {
  control_.on_broadcast_from_any(ControlMessage::written,
                                 [this](const messaging::Bytes& message) { on_written(message); });
}

void FlowControl::start(std::vector<plan::CommitClock> clocks,
                        std::vector<std::vector<std::size_t>> bytes_per_record) {
  clocks_ = std::move(clocks);
  bytes_per_record_ = std::move(bytes_per_record);
}

void FlowControl::begin_step(const plan::AxisBank& axes, const model::Tick& tick) {
  step_ = tick.step;
  for (std::size_t file = 0; file < clocks_.size(); ++file)
    if (const auto due = clocks_[file].advance(axes, tick)) add_due(file, *due);
}

void FlowControl::end_files_of_model(const plan::AxisBank& axes) {
  for (std::size_t file = 0; file < clocks_.size(); ++file) {
    const plan::SeriesClock* series = axes.series(file);
    if (series == nullptr || !series->is_of_model()) continue;
    if (const auto due = clocks_[file].end_file_of_model(axes)) add_due(file, *due);
  }
}

void FlowControl::add_due(std::size_t file, const plan::CommitDue& due) {
  const std::int64_t step = due.tick.step;
  if (step > saved_[file]) unsaved_[file].push_back(step);
  if (step <= written_[file]) return;
  std::size_t bytes = 0;
  for (std::size_t axis = 0; axis < due.records.size(); ++axis)
    bytes += due.records[axis].size() * bytes_per_record_[file][axis];
  due_[file].push_back({step, bytes});
}

std::int64_t FlowControl::written_until() const {
  std::int64_t until = step_;
  for (std::size_t file = 0; file < clocks_.size(); ++file) {
    if (saved_[file] == INT64_MAX) continue;  // it is closed
    if (!unsaved_[file].empty()) until = std::min(until, unsaved_[file].front() - 1);
    if (const std::int64_t waits = clocks_[file].first_waiting(); waits != INT64_MAX)
      until = std::min(until, waits - 1);
  }
  return until;
}

bool FlowControl::report_written(const std::vector<std::unique_ptr<sinks::Sink>>& sinks) {
  base::ByteWriter message;
  for (std::size_t file = 0; file < sinks.size(); ++file) {
    if (!sinks[file] || owners_.of_file(file) != control_.rank()) continue;
    const Reported now{sinks[file]->written_step(), sinks[file]->on_disk_step()};
    if (now == reported_[file]) continue;
    reported_[file] = now;
    message.put(static_cast<std::int64_t>(file));
    message.put(now);
  }
  if (message.bytes().empty()) return false;
  control_.broadcast_from_any(ControlMessage::written, message.take());
  return true;
}

void FlowControl::on_written(const messaging::Bytes& message) {
  base::ByteReader reader(message);
  while (!reader.rest().empty()) {
    const auto file = base::index(reader.get<std::int64_t>());
    TAILRACE_ASSERT(file < due_.size(), "a message names a file that is not in the plan");
    const auto reported = reader.get<Reported>();
    written_[file] = std::max(written_[file], reported.written);
    saved_[file] = std::max(saved_[file], reported.saved);
    while (!due_[file].empty() && due_[file].front().step <= written_[file]) due_[file].pop_front();
    while (!unsaved_[file].empty() && unsaved_[file].front() <= saved_[file]) unsaved_[file].pop_front();
  }
}

bool FlowControl::full() const {
  std::vector<std::size_t> bytes(static_cast<std::size_t>(control_.size()), 0);  // by server
  for (std::size_t file = 0; file < due_.size(); ++file)
    for (const Due& due : due_[file]) bytes[base::index(owners_.of_file(file))] += due.bytes;
  return std::any_of(bytes.begin(), bytes.end(), [this](std::size_t of_one) { return of_one > most_; });
}

}  // namespace tailrace::pipeline
