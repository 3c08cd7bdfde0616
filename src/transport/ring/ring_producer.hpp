// The Producer of a ring in memory that both ends share (shm, loopback).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "transport/ring/ring.hpp"
#include "transport/ring/spill_file.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport {

struct RingPlace {
  std::shared_ptr<const void> keeper;  // keeps the memory in place
  RingControl* control = nullptr;
  std::byte* data = nullptr;
};

// The parts that a producer needs besides the ring.
struct RingSending {
  Sender sender = Sender::inviter;
  WhenFull when_full = WhenFull::wait;
  std::optional<SpillFile> spill;      // given for WhenFull::spill
  std::shared_ptr<Doorbell> doorbell;  // what the receiver sleeps on
  // If given, called instead of sleeping: the receiver's work in the same thread.
  std::function<void()> while_waiting;
};

// Only the model's thread calls it, so there is no lock: shared data are atomics of the control block with
// one writer, and all other data belong to this end. A put is reserve and publish. They access the ring and
// the producer's words of the control block, and make a system call only to wake the receiver. Slow paths
// (waiting, spilling, checking whether a process is alive) are separate functions. Constant after
// construction: place_, control_, when_full_, doorbell_, while_waiting_, sender_.
class RingProducer final : public Producer {
 public:
  RingProducer(RingPlace place, RingSending sending);
  ~RingProducer() override;
  RingProducer(const RingProducer&) = delete;
  RingProducer& operator=(const RingProducer&) = delete;

  std::span<std::byte> reserve(std::size_t payload) override;
  void publish(const model::PacketHeader& header) override;
  void flush() override;
  void drain() override;
  std::optional<base::Fault> take_fault() override;
  std::int64_t written() override { return from_written(control_.written.load(std::memory_order_acquire)); }
  bool stop_requested() override { return control_.stop_requested.load(std::memory_order_relaxed) != 0; }
  void abandon() noexcept override;
  const ProducerCounters& counters() const override { return counters_; }
  std::size_t bytes_under_way() const override { return writer_.bytes_under_way(); }
  std::size_t capacity() const override { return writer_.capacity(); }

 private:
  enum class Reserved { nothing, in_ring, in_spill };
  std::byte* reserve_when_full(std::size_t payload);
  template <class Ready>
  void wait_for(std::uint64_t wanted_head, Ready ready);
  void throw_if_hopeless(bool look_for_process);
  void ring();
  void let_go_of_memory();
  std::size_t note_use();  // bytes in transit

  RingPlace place_;
  RingControl& control_;
  RingWriter writer_;
  WhenFull when_full_;
  std::optional<SpillWriter> spill_;
  std::shared_ptr<Doorbell> doorbell_;
  std::function<void()> while_waiting_;
  ProducerCounters counters_;
  Reserved reserved_ = Reserved::nothing;
  std::size_t reserved_bytes_ = 0;
  bool finished_ = false;        // the last packet that was published is the finish
  bool let_go_ = false;          // of the memory of the ring
  std::size_t unannounced_ = 0;  // bytes published since the doorbell was last rung
  Sender sender_;
};

}  // namespace tailrace::transport
