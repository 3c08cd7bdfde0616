#include "transport/ring/ring.hpp"

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
  control.jump_from.store(UINT64_MAX);
  control.wanted_head.store(UINT64_MAX);
  return control;
}

std::size_t bytes_between(const RingControl& control, std::uint64_t head, std::uint64_t tail) {
  const std::uint64_t from = control.jump_from.load(std::memory_order_relaxed);
  const std::uint64_t to = control.jump_to.load(std::memory_order_relaxed);
  const bool jumped = head <= from && from < tail && to <= tail;
  return static_cast<std::size_t>(tail - head - (jumped ? to - from : 0));
}

void RingWriter::look_at_head() { head_ = std::max(control_.head.load(std::memory_order_acquire), floor_); }

// If a packet does not fit before the end of the ring, a skip marker is written there, and the rest of the
// lap counts as used. If the ring is empty, this is not necessary: the tail jumps to the start of the next
// lap, which is recorded in the control block, and the whole ring is free. It also jumps when the packet
// would fit but the first part of the ring has been passed, since that part is still in caches. At most one
// jump exists at a time: the ring is empty again only after the consumer has passed the previous one.
std::byte* RingWriter::try_reserve(std::size_t payload) {
  const std::uint64_t total = packet_size(payload);
  const std::uint64_t rest = capacity_ - tail_ % capacity_;
  const bool wraps = total > rest;
  if (wraps || tail_ >= look_at_) {
    look_at_head();
    look_at_ = tail_ + look_every;
  }
  const bool empty = head_ == tail_;
  const bool jumps = empty && total <= capacity_ && (wraps || tail_ % capacity_ >= eager_bytes);
  begin_ = wraps || jumps ? tail_ + rest : tail_;
  if (!jumps && begin_ + total - head_ > capacity_) {
    look_at_head();
    if (begin_ + total - head_ > capacity_) return nullptr;
  }
  payload_ = payload;
  jumps_ = jumps;
  return data_ + begin_ % capacity_ + sizeof(PacketHead);
}

void RingWriter::publish(const model::PacketHeader& header, std::uint64_t sequence) {
  const std::uint64_t total = packet_size(payload_);
  if (jumps_) {
    control_.jump_from.store(tail_, std::memory_order_relaxed);
    control_.jump_to.store(begin_, std::memory_order_relaxed);
    floor_ = head_ = begin_;
    look_at_ = begin_ + eager_bytes;
  } else if (begin_ != tail_) {
    new (data_ + tail_ % capacity_) PacketHead{skip_marker, 0, begin_ - tail_, {}};
    look_at_ = begin_ + eager_bytes;
  }
  new (data_ + begin_ % capacity_) PacketHead{sequence, payload_, total, header};
  tail_ = begin_ + total;
  control_.tail.store(tail_, std::memory_order_release);
}

std::uint64_t RingWriter::worthwhile_head() const {
  const std::uint64_t head = std::max(control_.head.load(std::memory_order_acquire), floor_);
  return std::min(tail_, head + capacity_ / 8);
}

std::size_t RingWriter::bytes_under_way() const {
  return static_cast<std::size_t>(tail_ - std::max(control_.head.load(std::memory_order_acquire), floor_));
}

// A jump is at a place where the ring was empty, so it is visible with the tail behind it: the cache line
// that the producer writes is read once for all available packets.
bool RingReader::look_at_tail() {
  tail_ = control_.tail.load(std::memory_order_acquire);
  jump_from_ = control_.jump_from.load(std::memory_order_relaxed);
  jump_to_ = control_.jump_to.load(std::memory_order_relaxed);
  return position_ != tail_;
}

}  // namespace tailrace::transport
