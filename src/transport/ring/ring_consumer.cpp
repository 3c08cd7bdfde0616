#include "transport/ring/ring_consumer.hpp"

#include <algorithm>
#include <cstring>

#include "env/delays.hpp"

namespace tailrace::transport {
namespace {

bool ends(const Packet& packet) {
  return packet.header.kind == model::PacketKind::finish || packet.header.kind == model::PacketKind::abandon;
}

}  // namespace

RingConsumer::RingConsumer(RingPlace place, std::optional<SpillFile> spill, Doorbell& doorbell)
    : place_(std::move(place)),
      control_(*place_.control),
      doorbell_(doorbell),
      reader_(control_, place_.data) {
  if (spill) spill_.emplace(control_, std::move(*spill));
  control_.consumer = this_process();
  control_.consumer_attached.store(1, std::memory_order_release);
}

RingConsumer::~RingConsumer() {
  control_.consumer_closed.store(1, std::memory_order_release);
  control_.space.ring();
}

// The packets of the ring and those of the spill file are each in order; sequence numbers merge them.
std::optional<Packet> RingConsumer::next() {
  env::maybe_delay("next");
  const bool abandoned =
      control_.abandoned.load(std::memory_order_acquire) != 0;  // before looking for the last packets
  std::optional<Packet> packet = next_in_ring();
  if (!packet && spill_) packet = next_in_spill();
  if (!packet && abandoned && !over_) packet = goodbye();
  over_ = over_ || (packet && ends(*packet));
  return packet;
}

std::optional<Packet> RingConsumer::next_in_ring() {
  const base::MutexLock lock(mutex_);
  offer_fault();
  return next_of_ring();
}

// Takes many packets of the ring under one lock; those of the spill file come one by one.
void RingConsumer::take(std::vector<Packet>& packets, std::size_t most, std::size_t bytes) {
  if (spill_ || env::random_delays_on) return Consumer::take(packets, most, bytes);
  std::size_t taken = 0;
  {
    const base::MutexLock lock(mutex_);
    offer_fault();
    for (std::size_t size = 0; taken < most && size < bytes; ++taken) {
      const auto packet = next_of_ring();
      if (!packet) break;
      packets.push_back(*packet);
      size += packet->payload.size();
      if (model::is_block(packet->header.kind)) continue;
      over_ = over_ || ends(*packet);
      return;
    }
  }
  if (taken == 0) Consumer::take(packets, 1, 1);
}

std::uint64_t RingConsumer::note_taken(std::uint64_t begin) {
  taken_.push_back({.begin = begin});
  return next_sequence_++;
}

inline std::optional<Packet> RingConsumer::next_of_ring() {
  const auto view = reader_.peek();
  if (!view) return std::nullopt;
  const std::uint64_t sequence = next_sequence_;
  if (view->head->sequence != sequence) {
    TAILRACE_ASSERT(spill_ && view->head->sequence > sequence, "a packet of a channel is out of order");
    return std::nullopt;
  }
  reader_.advance(*view);
  note_taken(view->begin);
  return Packet{.header = view->head->header, .payload = view->payload, .sequence = sequence};
}

// The payload is read into memory within the capacity; more is read when some was released. A packet that is
// larger than the capacity is read alone.
std::optional<Packet> RingConsumer::next_in_spill() {
  const PacketHead* head = spill_->peek();
  if (head == nullptr) return std::nullopt;
  const PacketHead found = *head;
  const auto bytes = static_cast<std::size_t>(found.payload);
  {
    const base::MutexLock lock(mutex_);
    if (found.sequence != next_sequence_) return std::nullopt;
    waits_for_release_ = spilled_in_memory_ > 0 && spilled_in_memory_ + bytes > capacity();
    if (waits_for_release_) return std::nullopt;
    spilled_in_memory_ += bytes;
  }
  AlignedBytes memory = allocate_aligned(bytes);
  spill_->take(memory.get());
  const std::span<const std::byte> payload(memory.get(), bytes);
  const base::MutexLock lock(mutex_);
  spilled_[note_taken(reader_.position())] = {std::move(memory), bytes};
  return Packet{.header = found.header, .payload = payload, .sequence = found.sequence};
}

std::optional<Packet> RingConsumer::goodbye() {
  const base::MutexLock lock(mutex_);
  if (waits_for_release_) return std::nullopt;
  return Packet{.header = {.kind = model::PacketKind::abandon},
                .payload = {},
                .sequence = note_taken(reader_.position())};
}

inline bool RingConsumer::mark_released(std::uint64_t sequence) {
  const std::uint64_t back = next_sequence_ - sequence;  // 1: the newest
  TAILRACE_ASSERT(back >= 1 && back <= taken_.size() - done_,
                  "a packet is released that was not handed out, or twice");
  Taken& packet = taken_[taken_.size() - back];
  TAILRACE_ASSERT(!packet.released, "a packet is released twice");
  packet.released = true;
  return !spilled_.empty() && free_spilled(sequence);
}

bool RingConsumer::free_spilled(std::uint64_t sequence) {
  const auto found = spilled_.find(sequence);
  if (found == spilled_.end()) return false;
  const std::size_t bytes = found->second.bytes;
  spilled_in_memory_ -= bytes;
  spilled_.erase(found);
  return waits_for_release_ && bytes > 0;
}

void RingConsumer::give_back() {
  const std::size_t before = done_;
  while (done_ < taken_.size() && taken_[done_].released) ++done_;
  if (done_ == before) return;
  const bool all = done_ == taken_.size();
  control_.head.store(all ? reader_.position() : taken_[done_].begin, std::memory_order_release);
  control_.released.store(next_sequence_ - (taken_.size() - done_), std::memory_order_release);
  control_.space.ring();
  if (!all && done_ < taken_.size() / 2) return;
  taken_.erase(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(done_));
  done_ = 0;
}

void RingConsumer::release(std::uint64_t sequence) {
  env::maybe_delay("release");
  bool more_wanted = false;
  {
    const base::MutexLock lock(mutex_);
    more_wanted = mark_released(sequence);
    give_back();
  }
  if (more_wanted) doorbell_.ring();
}

void RingConsumer::release(std::span<const Packet> packets) {
  env::maybe_delay("release");
  bool more_wanted = false;
  {
    const base::MutexLock lock(mutex_);
    for (const Packet& packet : packets) more_wanted = mark_released(packet.sequence) || more_wanted;
    give_back();
  }
  if (more_wanted) doorbell_.ring();
}

void RingConsumer::raise(const base::Fault& fault) {
  const base::MutexLock lock(mutex_);
  faults_.push_back(fault);
  offer_fault();
}

void RingConsumer::offer_fault() {
  if (faults_.empty() || control_.fault_full.load(std::memory_order_acquire) != 0) return;
  const base::Fault& fault = faults_.front();
  const std::size_t size = std::min(fault.message.size(), fault_text);
  std::memcpy(control_.fault_message, fault.message.data(), size);
  control_.fault_size = static_cast<std::uint32_t>(size);
  control_.fault_code = static_cast<std::int32_t>(fault.code);
  control_.fault_full.store(1, std::memory_order_release);
  faults_.pop_front();
  control_.space.ring();
}

bool RingConsumer::alive() {
  if (control_.producer_closed.load(std::memory_order_acquire) != 0) return false;
  if (control_.producer_attached.load(std::memory_order_acquire) == 0) return true;  // still to come
  known_gone_ = known_gone_ || gone(control_.producer);
  return !known_gone_;
}

std::size_t RingConsumer::bytes_under_way() const {
  const std::uint64_t head = control_.head.load(std::memory_order_acquire);
  return bytes_between(control_, head, control_.tail.load(std::memory_order_acquire));
}

}  // namespace tailrace::transport
