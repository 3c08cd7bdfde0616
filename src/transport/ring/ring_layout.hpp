// The layout of the memory that the two ends of a channel share: a control block, then the bytes of the ring.
//
// Positions count bytes since the start and never wrap; a position modulo the capacity is the place in the
// ring.
//
//   0 ... head            released by the consumer
//   head ... tail         in transit
//   tail ... head + cap   free for the producer
//
// Packets are contiguous: a packet that does not fit before the end of the ring begins at its start, after a
// skip marker.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "model/block.hpp"
#include "transport/event_count.hpp"
#include "transport/process.hpp"

namespace tailrace::transport {

inline constexpr std::size_t alignment = 64;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// In front of every payload, in the ring, in the spill file and in messages.
struct alignas(alignment) PacketHead {
  std::uint64_t sequence = 0;  // or skip_marker
  std::uint64_t payload = 0;   // bytes
  std::uint64_t total =
      0;  // bytes of the packet with head and padding; of the skipped rest for a skip marker
  model::PacketHeader header;
};
inline constexpr std::uint64_t skip_marker = UINT64_MAX;

constexpr std::size_t packet_size(std::size_t payload) { return sizeof(PacketHead) + aligned(payload); }

inline constexpr std::uint32_t layout_version = 3;
inline constexpr std::uint32_t layout_magic = 0x54524c31;  // TRL1
inline constexpr std::size_t fault_text = 8000;

// A step as the word `written` of the control block has it, and back.
constexpr std::uint64_t to_written(std::int64_t step) {
  return static_cast<std::uint64_t>(step) + (std::uint64_t{1} << 63);
}
constexpr std::int64_t from_written(std::uint64_t word) {
  return static_cast<std::int64_t>(word - (std::uint64_t{1} << 63));
}

// All zero, except for what `prepare` sets, is a valid initial state. Each group of words has one writer and
// its own cache line.
struct RingControl {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t capacity;  // of the ring; a multiple of the alignment

  // Written by the producer.
  alignas(alignment) std::atomic<std::uint64_t> tail;
  // A jump of the tail from one position to another without a marker; see RingWriter.
  std::atomic<std::uint64_t> jump_from;
  std::atomic<std::uint64_t> jump_to;
  std::atomic<std::uint64_t> spill_tail;  // bytes that went into the spill file so far
  std::uint64_t spill_base;               // position at which the spill file was last cut to nothing
  std::atomic<std::uint32_t> abandoned;
  std::atomic<std::uint32_t> producer_closed;
  ProcessId producer;  // published with producer_attached
  std::atomic<std::uint32_t> producer_attached;

  // Written by the consumer.
  alignas(alignment) std::atomic<std::uint64_t> head;
  std::atomic<std::uint64_t> released;    // packets released without a gap since the first one
  std::atomic<std::uint64_t> spill_head;  // bytes taken out of the spill file so far
  std::atomic<std::uint32_t> consumer_closed;
  std::atomic<std::uint32_t> consumer_attached;
  ProcessId consumer;  // published with consumer_attached
  std::atomic<std::uint32_t> stop_requested;
  std::atomic<std::uint64_t> written;  // a step, counted from INT64_MIN, so that 0 is none

  // The producer sleeps here. wanted_head is the position at which it is to be woken (UINT64_MAX: never):
  // otherwise each release of a small packet would wake it.
  alignas(alignment) std::atomic<std::uint64_t> wanted_head;
  EventCount space;  // rung by the consumer for that, when it ends, and when a fault was raised

  // A fault for the producer: the consumer writes it while `fault_full` is 0, the producer takes it.
  alignas(alignment) std::atomic<std::uint32_t> fault_full;
  std::int32_t fault_code;
  std::uint32_t fault_size;
  char fault_message[fault_text];
};

inline constexpr std::size_t control_size = (sizeof(RingControl) + 4095) / 4096 * 4096;

// Bytes between head and tail, without those that were jumped over.
std::size_t bytes_between(const RingControl& control, std::uint64_t head, std::uint64_t tail);

// A control block in memory that is all zero.
RingControl& prepare(std::byte* memory, std::size_t capacity);

}  // namespace tailrace::transport
