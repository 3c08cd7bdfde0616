// A lock-free ring buffer of bytes for one producer and one consumer (Lamport 1977), with packets of any
// size. Waiting, faults and the spill file are handled elsewhere.
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
// It caches the positions: tail_ is the next one to publish, head_ the consumer's as last read. To read the
// consumer's position transfers a cache line from another core, so it is read only if there is no room
// according to the copy, or if it may be worth restarting at the front (look_at_), which is still in the
// caches.
class RingWriter {
 public:
  RingWriter(RingControl& control, std::byte* data)
      : control_(control), data_(data), capacity_(control.capacity) {}

  // Memory for the payload of a packet, or null if there is no room now. A packet of at most the capacity
  // finds room at the latest when all packets before it have been released. A further call discards the
  // earlier reservation.
  std::byte* try_reserve(std::size_t payload);
  // Passes the reserved packet to the consumer.
  void publish(const model::PacketHeader& header, std::uint64_t sequence);

  // How far into the ring the memory has been used.
  std::size_t reach() const { return static_cast<std::size_t>(begin_ % capacity_ + packet_size(payload_)); }
  bool fits(std::size_t payload) const { return payload <= capacity_ && packet_size(payload) <= capacity_; }
  std::uint64_t tail() const { return tail_; }
  // A position of the consumer at which it is worth continuing after there was no room: an eighth of the
  // ring, or all of it, is free.
  std::uint64_t worthwhile_head() const;
  std::size_t bytes_under_way() const;
  std::size_t capacity() const { return capacity_; }

 private:
  void look_at_head();

  // A consumer that keeps up needs only the first part of the ring, which then stays in caches.
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

// Consumer's end: finds packets. The owner releases space by storing RingControl::head.
class RingReader {
 public:
  RingReader(RingControl& control, const std::byte* data)
      : control_(control), data_(data), capacity_(control.capacity) {}

  // The next packet, without moving past it. Throws Error(internal) if the contents of the ring are invalid.
  std::optional<PacketView> peek() {
    while (position_ != tail_ || look_at_tail()) {
      if (position_ == jump_from_) position_ = jump_to_;
      const std::uint64_t within = position_ % capacity_;
      const std::byte* place = data_ + within;
      const auto* head = std::launder(reinterpret_cast<const PacketHead*>(place));
      // This packet contains the place of the next one; without a prefetch each small packet would be a cache
      // miss.
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
  // All packets before it have been taken (including skipped rests, once peek has seen them).
  std::uint64_t position() const { return position_; }

 private:
  bool look_at_tail();  // false: no packet is available

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
