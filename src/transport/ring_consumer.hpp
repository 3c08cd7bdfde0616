// The Consumer over a ring in memory that the client sees too (shm, loopback).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "transport/aligned_bytes.hpp"
#include "transport/ring.hpp"
#include "transport/ring_producer.hpp"
#include "transport/spill_file.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport {

class RingConsumer final : public Consumer {
 public:
  // `doorbell` is the server's own and must live longer.
  RingConsumer(RingPlace place, std::optional<SpillFile> spill, Doorbell& doorbell);
  ~RingConsumer() override;
  RingConsumer(const RingConsumer&) = delete;
  RingConsumer& operator=(const RingConsumer&) = delete;

  std::optional<Record> next() override;
  void release(std::uint64_t sequence) override;
  void take(std::vector<Record>& records, std::size_t most, std::size_t bytes) override;
  void release(std::span<const Record> records) override;
  void raise(const base::Fault& fault) override;
  bool alive() override;
  std::size_t bytes_under_way() const override;
  std::size_t capacity() const override { return static_cast<std::size_t>(control_.capacity); }

 private:
  struct Taken {
    std::uint64_t begin = 0;  // up to here the ring is free once all earlier records are released
    bool released = false;
  };
  struct Spilled {  // a record that lies in memory, out of the spill file
    AlignedBytes memory;
    std::size_t bytes = 0;
  };
  std::optional<Record> next_in_ring();
  std::optional<Record> next_of_ring();  // the lock is held
  std::optional<Record> next_in_spill();
  std::optional<Record> goodbye();
  void offer_fault();                             // the lock is held
  std::uint64_t note_taken(std::uint64_t begin);  // the lock is held; its sequence
  bool free_spilled(std::uint64_t sequence);      // the lock is held; true if next() waited for it
  bool mark_released(std::uint64_t sequence);     // the lock is held; true if next() waited for it
  void give_back();                               // the lock is held

  RingPlace place_;
  RingControl& control_;
  Doorbell& doorbell_;
  std::optional<SpillReader> spill_;
  bool over_ = false;  // finish or abandon was handed out
  bool known_gone_ = false;

  mutable std::mutex mutex_;  // guards what follows
  RingReader reader_;
  // Handed out. The first `done_` are released and are removed now and then, all at once.
  std::vector<Taken> taken_;
  std::size_t done_ = 0;
  std::uint64_t next_sequence_ = 0;           // of the record to come
  std::map<std::uint64_t, Spilled> spilled_;  // by sequence
  std::size_t spilled_in_memory_ = 0;
  bool waits_for_release_ = false;
  std::deque<base::Fault> faults_;
};

}  // namespace tailrace::transport
