// The byte ring itself: who may write and read where. Knows nothing of waiting, faults or the spill file.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "transport/ring/ring_layout.hpp"

namespace tailrace::transport {

// Producer's end. One thread.
//
// It keeps its own copies of the positions: tail_ is what it will publish, head_ what it last saw of the
// consumer. Reading the consumer's word brings a cache line from another core, so it is looked at only when
// the copy says that there is no room, or when it may pay to start again at the front (look_at_), where the
// ring is still in the caches.
class RingWriter {
 public:
  RingWriter(RingControl& control, std::byte* data)
      : control_(control), data_(data), capacity_(control.capacity) {}

  // Place for the payload of one packet, or null when there is no room now. A packet of at most the capacity
  // finds room at the latest when everything before it has been released. Reserving again gives the earlier
  // place up.
  std::byte* try_reserve(std::size_t payload);
  // Hands the reserved packet over.
  void publish(const model::PacketHeader& header, std::uint64_t sequence);

  // How far into the ring the memory has been used.
  std::size_t reach() const { return static_cast<std::size_t>(begin_ % capacity_ + packet_size(payload_)); }
  bool fits(std::size_t payload) const { return payload <= capacity_ && packet_size(payload) <= capacity_; }
  std::uint64_t tail() const { return tail_; }
  // A head at which it pays to go on writing when there was no room: an eighth of the ring is free or all of
  // it.
  std::uint64_t worthwhile_head() const;
  std::size_t bytes_under_way() const;
  std::size_t capacity() const { return capacity_; }

 private:
  void look_at_head();

  // A consumer that keeps up needs no more than the first part of the ring, which then stays in caches.
  static constexpr std::uint64_t eager_bytes = std::uint64_t{2} << 20;
  static constexpr std::uint64_t look_every = std::uint64_t{64} << 10;

  RingControl& control_;
  std::byte* data_;
  std::uint64_t capacity_;
  std::uint64_t tail_ = 0;
  std::uint64_t head_ = 0;  // as last seen: reading the consumer's cache line for every packet would be slow
  std::uint64_t floor_ =
      0;  // everything before it is free, though the consumer may not have jumped there yet
  std::uint64_t look_at_ = eager_bytes;  // position from which on it pays to see whether the ring is empty
  std::uint64_t begin_ = 0;              // of the reserved packet
  std::size_t payload_ = 0;
  bool jumps_ = false;  // to the start of the next lap
};

struct PacketView {
  const PacketHead* head = nullptr;
  std::span<const std::byte> payload;
  std::uint64_t begin = 0;  // position of the head
};

// Consumer's end: finds packets; giving space back is up to the owner, who stores RingControl::head.
class RingReader {
 public:
  RingReader(RingControl& control, const std::byte* data)
      : control_(control), data_(data), capacity_(control.capacity) {}

  // The next packet, without moving past it. Throws Error(internal) when the ring holds nonsense.
  std::optional<PacketView> peek() {
    while (position_ != tail_ || look_at_tail()) {
      if (position_ == jump_from_) position_ = jump_to_;
      const std::uint64_t within = position_ % capacity_;
      const std::byte* place = data_ + within;
      const auto* head = std::launder(reinterpret_cast<const PacketHead*>(place));
      // Where the next packet begins is written in this one: small ones would be waited for one by one.
      __builtin_prefetch(place + ahead_bytes);
      __builtin_prefetch(place + ahead_bytes + alignment);
      TAILRACE_ASSERT(head->total >= sizeof(PacketHead) && head->total <= capacity_ - within &&
                          head->total <= tail_ - position_,
                      "the ring of a channel was overwritten");
      if (head->sequence != skip_marker) {
        TAILRACE_ASSERT(head->payload <= head->total - sizeof(PacketHead),
                        "the ring of a channel was overwritten");
        return PacketView{
            head, {place + sizeof(PacketHead), static_cast<std::size_t>(head->payload)}, position_};
      }
      position_ += head->total;
    }
    return std::nullopt;
  }
  void advance(const PacketView& packet) { position_ = packet.begin + packet.head->total; }
  // Everything before it has been taken (skipped rests included, once peek has seen them).
  std::uint64_t position() const { return position_; }

 private:
  bool look_at_tail();  // false: nothing is there

  static constexpr std::size_t ahead_bytes = 2048;

  RingControl& control_;
  const std::byte* data_;
  std::uint64_t capacity_;
  std::uint64_t position_ = 0;
  // As last seen:
  std::uint64_t tail_ = 0;
  std::uint64_t jump_from_ = UINT64_MAX, jump_to_ = 0;
};

}  // namespace tailrace::transport
