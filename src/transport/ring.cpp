#include "transport/ring.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/error.hpp"

namespace tailrace::transport {

RingControl& prepare(std::byte* memory, std::size_t capacity) {
  auto& control = *new (memory) RingControl;  // default-initialised: the memory stays as it is, zero
  control.magic = layout_magic;
  control.version = layout_version;
  control.capacity = capacity;
  control.jump_from = UINT64_MAX;
  control.wanted_head.store(UINT64_MAX);
  return control;
}

// A record that does not fit before the end of the ring normally leaves a skip marker there, and the rest of
// the lap counts as used. When the ring is empty that would make a record of more than half the ring wait for
// nothing, so then the jump is written into the control block and the record may take the place of the marker
// too. There is at most one such jump at a time: the ring is empty again only when the consumer has passed
// the one before.
std::byte* RingWriter::try_reserve(std::size_t payload) {
  const std::uint64_t total = record_size(payload);
  const std::uint64_t place = tail_ % capacity_;
  const std::uint64_t rest = capacity_ - place;
  const bool wraps = total > rest;
  const std::uint64_t needed = wraps ? rest + total : total;
  begin_ = wraps ? tail_ + rest : tail_;
  if (tail_ + needed - head_ > capacity_) {
    head_ = control_.head.load(std::memory_order_acquire);
    if (tail_ + needed - head_ > capacity_ && (head_ != tail_ || total > capacity_)) return nullptr;
  }
  payload_ = payload;
  return data_ + begin_ % capacity_ + sizeof(RecordHead);
}

void RingWriter::commit(const model::RecordHeader& header, std::uint64_t sequence) {
  const std::uint64_t total = record_size(payload_);
  if (begin_ != tail_) {
    if (begin_ + total - head_ > capacity_) {
      control_.jump_from = tail_;
      control_.jump_to = begin_;
    } else {
      new (data_ + tail_ % capacity_) RecordHead{skip_marker, 0, begin_ - tail_, {}};
    }
  }
  new (data_ + begin_ % capacity_) RecordHead{sequence, payload_, total, header};
  tail_ = begin_ + total;
  control_.tail.store(tail_, std::memory_order_release);
}

std::uint64_t RingWriter::worthwhile_head() const {
  const std::uint64_t head = control_.head.load(std::memory_order_acquire);
  return std::min(tail_, head + capacity_ / 8);
}

std::size_t RingWriter::bytes_under_way() const {
  return static_cast<std::size_t>(tail_ - control_.head.load(std::memory_order_acquire));
}

std::optional<RecordView> RingReader::peek() {
  while (true) {
    if (position_ == tail_) {
      tail_ = control_.tail.load(std::memory_order_acquire);
      if (position_ == tail_) return std::nullopt;
    }
    if (position_ == control_.jump_from) position_ = control_.jump_to;
    const std::byte* place = data_ + position_ % capacity_;
    const auto* head = std::launder(reinterpret_cast<const RecordHead*>(place));
    const std::uint64_t rest = capacity_ - position_ % capacity_;
    TAILRACE_ASSERT(
        head->total >= sizeof(RecordHead) && head->total <= rest && head->total <= tail_ - position_,
        "the ring of a client was overwritten");
    if (head->sequence != skip_marker) {
      TAILRACE_ASSERT(head->payload <= head->total - sizeof(RecordHead),
                      "the ring of a client was overwritten");
      return RecordView{
          head, {place + sizeof(RecordHead), static_cast<std::size_t>(head->payload)}, position_};
    }
    position_ += head->total;
  }
}

}  // namespace tailrace::transport
