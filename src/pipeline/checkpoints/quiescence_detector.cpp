#include "pipeline/checkpoints/quiescence_detector.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"

namespace tailrace::pipeline::checkpoints {

QuiescenceDetector::QuiescenceDetector(ControlChannel& control, int root, Events events)
    : control_(control),
      place_(control.rank(), root, control.size()),
      events_(std::move(events)),
      counts_(place_.sources()) {
  control_.on(ControlMessage::resting, [this](int from, messaging::Bytes&& message) { hear(from, message); });
  control_.on_broadcast(ControlMessage::look, root, [this](int, messaging::Bytes&&) { on_look(); });
}

void QuiescenceDetector::begin() {
  active_ = true;
  std::ranges::fill(counts_, std::nullopt);
  told_.reset();
  awaited_ = 0;
}

void QuiescenceDetector::end() { active_ = false; }

QuiescenceDetector::Count QuiescenceDetector::own_count() const {
  const auto traffic =
      control_.messenger().traffic(control_.kind(ControlMessage{}), control_.kind(first_checkpoint_message));
  return {traffic.sent, traffic.handled};
}

QuiescenceDetector::Counts QuiescenceDetector::sum() const {
  Count all;
  for (const Counts& one : counts_) {
    if (!one) return std::nullopt;
    all.sent += one->sent;
    all.handled += one->handled;
  }
  return all;
}

bool QuiescenceDetector::progress() {
  if (!active_ || !events_.at_rest()) return false;
  const Count now = own_count();
  if (counts_.front() == now) return false;
  counts_.front() = now;
  pass_on();
  return true;
}

void QuiescenceDetector::hear(int from, const messaging::Bytes& message) {
  if (!active_) return;  // given up
  base::ByteReader reader(message);
  const bool answers = reader.get<std::uint8_t>() != 0;
  const bool rests = reader.get<std::uint8_t>() != 0;
  const auto count = reader.get<Count>();
  counts_[place_.source_of(from)] = rests ? Counts(count) : std::nullopt;
  answers ? take_answer() : pass_on();
}

void QuiescenceDetector::pass_on() {
  if (awaited_ > 0) return;  // it goes with the answer
  if (place_.parent < 0) return look_if_equal();
  const Counts all = sum();
  if (!all || all == told_) return;
  told_ = all;
  tell_parent(false, all);
}

void QuiescenceDetector::tell_parent(bool answers, const Counts& sum) {
  base::ByteWriter writer;
  writer.put(static_cast<std::uint8_t>(answers));
  writer.put(static_cast<std::uint8_t>(sum.has_value()));
  writer.put(sum.value_or(Count{}));
  control_.messenger().send(place_.parent, control_.kind(ControlMessage::resting), writer.take());
}

void QuiescenceDetector::look_if_equal() {
  const Counts all = sum();
  if (!all || all->sent != all->handled) return;
  told_ = all;
  awaited_ = place_.sources();
  control_.broadcast(ControlMessage::look, messaging::Bytes{});
}

void QuiescenceDetector::on_look() {
  if (!active_) return;  // given up
  if (place_.parent >= 0) awaited_ = place_.sources();
  counts_.front() = events_.at_rest() ? Counts(own_count()) : std::nullopt;
  take_answer();
}

void QuiescenceDetector::take_answer() {
  if (--awaited_ > 0) return;
  const Counts all = sum();
  if (place_.parent >= 0) {
    told_ = all;
    tell_parent(true, all);
  } else if (all && all == told_) {
    events_.all_rest();
  } else {
    look_if_equal();
  }
}

}  // namespace tailrace::pipeline::checkpoints
