// The Consumer of a ring in memory that both ends share (shm, loopback).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/thread_safety.hpp"
#include "transport/aligned_bytes.hpp"
#include "transport/ring/ring.hpp"
#include "transport/ring/ring_producer.hpp"
#include "transport/ring/spill_file.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport {

// One thread calls next() and take(), any thread release() and raise(). mutex_ guards the data that they
// share: the taken packets and pending faults. Packets are released in any order, but a ring frees its space
// in order, so taken_ keeps each packet until all before it are released. take() and the release of a span
// handle many packets under one lock, since a lock for each small packet would cost more than the packet.
// Only next() uses the spill file, and reads its packets without the lock. place_, control_ and doorbell_ are
// constant after construction.
class RingConsumer final : public Consumer {
 public:
  // This end sleeps on `doorbell`, which must live longer.
  RingConsumer(RingPlace place, std::optional<SpillFile> spill, Doorbell& doorbell);
  ~RingConsumer() override;
  RingConsumer(const RingConsumer&) = delete;
  RingConsumer& operator=(const RingConsumer&) = delete;

  std::optional<Packet> next() override;
  void release(std::uint64_t sequence) override;
  void take(std::vector<Packet>& packets, std::size_t most, std::size_t bytes) override;
  void release(std::span<const Packet> packets) override;
  void raise(const base::Fault& fault) override;
  void request_stop() override { control_.stop_requested.store(1, std::memory_order_relaxed); }
  void say_written(std::int64_t step) override {
    control_.written.store(to_written(step), std::memory_order_release);
  }
  bool alive() override;
  std::size_t bytes_under_way() const override;
  std::size_t capacity() const override { return static_cast<std::size_t>(control_.capacity); }

 private:
  struct Taken {
    std::uint64_t begin = 0;  // up to here the ring is free once all earlier packets are released
    bool released = false;
  };
  struct Spilled {  // a packet that was read from the spill file into memory
    AlignedBytes memory;
    std::size_t bytes = 0;
  };
  std::optional<Packet> next_in_ring();
  std::optional<Packet> next_of_ring() TAILRACE_REQUIRES(mutex_);
  std::optional<Packet> next_in_spill();
  std::optional<Packet> goodbye();
  void offer_fault() TAILRACE_REQUIRES(mutex_);
  std::uint64_t note_taken(std::uint64_t begin) TAILRACE_REQUIRES(mutex_);  // its sequence
  // True if next() waited for it.
  bool free_spilled(std::uint64_t sequence) TAILRACE_REQUIRES(mutex_);
  bool mark_released(std::uint64_t sequence) TAILRACE_REQUIRES(mutex_);
  void give_back() TAILRACE_REQUIRES(mutex_);

  RingPlace place_;
  RingControl& control_;
  Doorbell& doorbell_;
  std::optional<SpillReader> spill_;
  bool over_ = false;  // finish or abandon was handed out
  bool known_gone_ = false;

  mutable base::Mutex mutex_;
  RingReader reader_ TAILRACE_GUARDED_BY(mutex_);
  // Taken packets. The first `done_` are released; they are removed from time to time, together.
  std::vector<Taken> taken_ TAILRACE_GUARDED_BY(mutex_);
  std::size_t done_ TAILRACE_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_sequence_ TAILRACE_GUARDED_BY(mutex_) = 0;           // of the packet to come
  std::map<std::uint64_t, Spilled> spilled_ TAILRACE_GUARDED_BY(mutex_);  // by sequence
  std::size_t spilled_in_memory_ TAILRACE_GUARDED_BY(mutex_) = 0;
  bool waits_for_release_ TAILRACE_GUARDED_BY(mutex_) = false;
  std::deque<base::Fault> faults_ TAILRACE_GUARDED_BY(mutex_);
};

}  // namespace tailrace::transport
