#include "messaging/collectives/quiescence_detector.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "messaging/collectives/broadcast.hpp"

namespace tailrace::messaging {

QuiescenceDetector::QuiescenceDetector(Messenger& messenger, Kinds kinds, int root, Events events)
    : messenger_(messenger),
      kinds_(kinds),
      place_(messenger.rank(), messenger.size(), root),
      events_(std::move(events)),
      counts_(place_.sources()) {
  messenger_.on(kinds_.resting, [this](int from, Bytes&& message) { hear(from, message); });
  on_broadcast(messenger_, kinds_.look, root, [this](int, Bytes&&) { on_look(); });
}

void QuiescenceDetector::begin() {
  active_ = true;
  std::ranges::fill(counts_, std::nullopt);
  told_.reset();
  awaited_ = 0;
}

void QuiescenceDetector::end() { active_ = false; }

QuiescenceDetector::Count QuiescenceDetector::own_count() const {
  const auto traffic = messenger_.traffic(kinds_.first_counted, kinds_.end_counted);
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

void QuiescenceDetector::hear(int from, const Bytes& message) {
  if (!active_) return;  // given up
  base::ByteReader reader(message);
  const bool answers = reader.get<std::uint8_t>() != 0;
  const bool rests = reader.get<std::uint8_t>() != 0;
  const auto count = reader.get<Count>();
  counts_[place_.source_of(from)] = rests ? Counts(count) : std::nullopt;
  answers ? take_answer() : pass_on();
}

void QuiescenceDetector::pass_on() {
  if (awaited_ > 0) return;  // the answer will contain it
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
  messenger_.send(place_.parent, kinds_.resting, writer.take());
}

void QuiescenceDetector::look_if_equal() {
  const Counts all = sum();
  if (!all || all->sent != all->handled) return;
  told_ = all;
  awaited_ = place_.sources();
  broadcast(messenger_, kinds_.look, Bytes{});
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

}  // namespace tailrace::messaging
