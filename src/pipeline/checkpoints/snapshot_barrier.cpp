#include "pipeline/checkpoints/snapshot_barrier.hpp"

#include <utility>

#include "base/bytes.hpp"

namespace tailrace::pipeline::checkpoints {

SnapshotBarrier::SnapshotBarrier(ControlChannel& control, int leader, Events events)
    : control_(control),
      leader_(leader),
      events_(std::move(events)),
      quiescence_(control.messenger(),
                  {.resting = control.kind(ControlMessage::resting),
                   .look = control.kind(ControlMessage::look),
                   .first_counted = control.kind(ControlMessage{}),
                   .end_counted = control.kind(first_checkpoint_message)},
                  leader,
                  {.at_rest = [this] { return events_.at_rest(); },
                   .all_rest = [this] { control_.broadcast(ControlMessage::save, messaging::Bytes{}); }}),
      saved_(control.messenger(), control.kind(ControlMessage::saved), leader,
             [this](const messaging::Bytes&) {
               control_.broadcast(ControlMessage::go_on, messaging::Bytes{});
             }) {
  control_.on_broadcast(ControlMessage::keep, leader,
                        [this](int, messaging::Bytes&& message) { begin(message); });
  control_.on_broadcast(ControlMessage::save, leader, [this](int, messaging::Bytes&&) { save(); });
  control_.on_broadcast(ControlMessage::go_on, leader, [this](int, messaging::Bytes&&) {
    asked_.reset();
    announced_.reset();
    announced_here_ = false;
  });
}

void SnapshotBarrier::ask(const model::Tick& tick, std::span<const std::byte> values) {
  asked_ = tick;
  if (is_leader()) values_.assign(values.begin(), values.end());
}

void SnapshotBarrier::give_up() {
  asked_.reset();
  announced_.reset();
  quiescence_.end();
}

// The leader starts its quiescence detector before the broadcast, because the counts of other servers may
// arrive before its own copy of the message.
bool SnapshotBarrier::progress(bool may_begin) {
  if (is_leader() && asked_ && may_begin && !std::exchange(announced_here_, true)) {
    quiescence_.begin();
    base::ByteWriter writer;
    writer.put(*asked_);
    writer.put_all(std::span<const std::byte>(values_));
    values_.clear();
    control_.broadcast(ControlMessage::keep, writer.take());
    return true;
  }
  return announced_ && quiescence_.progress();
}

void SnapshotBarrier::begin(const messaging::Bytes& message) {
  base::ByteReader reader(message);
  announced_ = reader.get<model::Tick>();
  if (!is_leader()) quiescence_.begin();
  const auto values = reader.get_all<std::byte>();
  events_.begin(*announced_, values);
}

void SnapshotBarrier::save() {
  if (!announced_) return;  // given up
  quiescence_.end();
  events_.save();
  saved_.say({});
}

}  // namespace tailrace::pipeline::checkpoints
