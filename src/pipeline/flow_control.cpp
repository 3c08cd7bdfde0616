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
      reported_(written_) {
  control_.on_broadcast_from_any(ControlMessage::written,
                                 [this](const messaging::Bytes& message) { on_written(message); });
}

void FlowControl::start(std::vector<plan::CommitClock> clocks,
                        std::vector<std::vector<std::size_t>> bytes_per_record) {
  clocks_ = std::move(clocks);
  bytes_per_record_ = std::move(bytes_per_record);
}

void FlowControl::begin_step(const plan::AxisBank& axes, const model::Tick& tick) {
  for (std::size_t file = 0; file < clocks_.size(); ++file) {
    const auto due = clocks_[file].advance(axes, tick);
    if (!due || tick.step <= written_[file]) continue;
    std::size_t bytes = 0;
    for (std::size_t axis = 0; axis < due->records.size(); ++axis)
      bytes += due->records[axis].size() * bytes_per_record_[file][axis];
    due_[file].push_back({tick.step, bytes});
  }
}

bool FlowControl::report_written(const std::vector<std::unique_ptr<sinks::Sink>>& sinks) {
  base::ByteWriter message;
  for (std::size_t file = 0; file < sinks.size(); ++file) {
    if (!sinks[file] || owners_.of_file(file) != control_.rank()) continue;
    const std::int64_t step = sinks[file]->written_step();
    if (step == reported_[file]) continue;
    reported_[file] = step;
    message.put(static_cast<std::int64_t>(file));
    message.put(step);
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
    written_[file] = std::max(written_[file], reader.get<std::int64_t>());
    while (!due_[file].empty() && due_[file].front().step <= written_[file]) due_[file].pop_front();
  }
}

bool FlowControl::full() const {
  std::vector<std::size_t> bytes(static_cast<std::size_t>(control_.size()), 0);  // by server
  for (std::size_t file = 0; file < due_.size(); ++file)
    for (const Due& due : due_[file]) bytes[base::index(owners_.of_file(file))] += due.bytes;
  return std::any_of(bytes.begin(), bytes.end(), [this](std::size_t of_one) { return of_one > most_; });
}

}  // namespace tailrace::pipeline
