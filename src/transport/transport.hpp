// Moves packets from one end of a channel to the other: in order, bounded in memory, without knowing what a
// field is.
//
// A channel has a Producer at the sending end and a Consumer at the receiving end; the consumers of a process
// share one Doorbell. Either end may make the channel's memory and invite the other (endpoints.hpp). All
// transports (shm, mpi, loopback) pass testing/transport_conformance.hpp in both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/block.hpp"
#include "transport/packet_source.hpp"

namespace tailrace::transport {

// The end of a channel that sends: the inviter or the invitee. Clients invite, so it also determines whether
// messages call the receiver the server or the client.
enum class Sender : std::uint32_t { inviter, invitee };

enum class WhenFull { wait, spill, fail };

struct BufferOptions {
  std::size_t bytes = std::size_t{256} << 20;  // the bound on data in transit
  bool at_most = true;                         // a smaller buffer may be chosen if it suffices
  WhenFull when_full = WhenFull::wait;
  std::string spill_directory = "/tmp";

  bool operator==(const BufferOptions&) const = default;
};

// Counters of a producer, for the telemetry of the sender.
struct ProducerCounters {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;   // payload
  std::uint64_t stalls = 0;  // reserve had to wait
  double stall_seconds = 0.0;
  std::uint64_t spilled_packets = 0;
  std::uint64_t spilled_bytes = 0;
  std::size_t most_bytes_under_way = 0;
};

// The sending end. One thread. No call is collective.
class Producer {
 public:
  virtual ~Producer() = default;

  // Space for one packet with `payload` bytes, 64-byte aligned, valid until publish. One reservation at a
  // time. When the buffer is full: waits, spills or throws Error(full) as the options say. Throws
  // Error(usage) if a packet of this size can never fit, Error(lost) if the receiver is gone while waiting,
  // and the fault that it raised.
  virtual std::span<std::byte> reserve(std::size_t payload) = 0;
  // Passes the reserved packet to the receiver. Does not block.
  virtual void publish(const model::PacketHeader& header) = 0;
  // Ensures that a sleeping receiver wakes up within some milliseconds, and lets messages progress. Call it
  // at the end of each step.
  virtual void flush() = 0;
  // Blocks until the receiver has released all published packets. Throws Error(lost) if the receiver is gone,
  // and the fault that it raised.
  virtual void drain() = 0;

  // The oldest fault that the receiver raised and that was not yet taken. Costs one load if there is none.
  virtual std::optional<base::Fault> take_fault() = 0;
  // Whether the receiver requested the end of the run. Costs one load, or (mpi) a probe for messages.
  virtual bool stop_requested() = 0;
  // The last step that the receiver said is written; INT64_MIN before. Costs as much as stop_requested().
  virtual std::int64_t written() = 0;
  // The last call of a rank that leaves without `finish`: safe in an exit handler, never throws, never
  // blocks.
  virtual void abandon() noexcept = 0;
  virtual const ProducerCounters& counters() const = 0;
  virtual std::size_t bytes_under_way() const = 0;
  virtual std::size_t capacity() const = 0;

  // `look` is called repeatedly while this end waits for the other, with the seconds waited so far. An
  // exception from it ends the wait.
  void look_while_waiting(std::function<void(double)> look) { look_ = std::move(look); }
  // `explain` is called before this end reports that the other is gone; it may throw a better explanation.
  void explain_loss(std::function<void()> explain) { explain_ = std::move(explain); }

 protected:
  std::function<void(double)> look_;
  std::function<void()> explain_;
};

// In seconds. While little of the buffer is in use, a published packet does not wake a receiver that wakes up
// by itself within this time: to wake it costs as much as copying a few 100 KiB. The receiver may see the
// packet so much later.
constexpr double patience = 2e-2;

// State that several consumers of one thread share. Each transport has its own kind.
class PollGroup {
 public:
  virtual ~PollGroup() = default;
};

class ReceiveBudget;

// The receiving end.
class Consumer : public PacketSource {
 public:
  // Call it before the first next(). The consumers that join the same group look for packets together. The
  // pointer is null at first; the first consumer that needs a group makes it.
  virtual void join(std::shared_ptr<PollGroup>&) {}
  // Call it before the first next(). Messages stay at the sender while the budget has no room. The budget
  // must live longer. It has no effect if both ends share memory.
  virtual void receive_into(ReceiveBudget&) {}
  // A channel knows these.
  void request_stop() override = 0;
  void say_written(std::int64_t step) override = 0;
  bool alive() override = 0;
  bool needs_polling() const override { return false; }
  std::size_t bytes_under_way() const override = 0;
  std::size_t capacity() const override = 0;
};

// A receiving process sleeps on it, until any sender or thread calls ring().
class Doorbell {
 public:
  virtual ~Doorbell() = default;
  virtual void ring() = 0;  // cheap if no thread sleeps (no system call)
  // Like ring, but does not wake a thread that wakes up by itself within `patience` seconds; then it costs a
  // load.
  virtual void nudge(double patience) = 0;
  virtual std::uint32_t ticket() const = 0;  // take it, look for work, then sleep with it
  // Sleeps until a ring after `ticket` was taken, or until the time is over. It spins for at most a few
  // microseconds, then waits on a futex.
  virtual void sleep(std::uint32_t ticket, double seconds) = 0;
};

}  // namespace tailrace::transport
