// Moves packets from one end of a channel to the other: in order, bounded in memory, without knowing what a
// field is.
//
// A channel has a Producer at the end that sends and a Consumer at the end that receives; the consumers of
// one process share one Doorbell. Which end makes the channel's memory and invites the other (endpoints.hpp)
// does not say which one sends. All kinds (shm, mpi, loopback) keep this contract and pass
// testing/transport_conformance.hpp in both directions.
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

// Which end of a channel sends: the one that invited the other, or the one that accepted. Clients invite, so
// it is also what messages call the receiver: the server or the client.
enum class Sender : std::uint32_t { inviter, invitee };

enum class WhenFull { wait, spill, fail };

struct BufferOptions {
  std::size_t bytes = std::size_t{256} << 20;  // the bound on what may be under way
  bool at_most = true;                         // that, or less where less suits what is sent
  WhenFull when_full = WhenFull::wait;
  std::string spill_directory = "/tmp";

  bool operator==(const BufferOptions&) const = default;
};

// What a producer counts; read by the telemetry of the sender.
struct ProducerCounters {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;   // payload
  std::uint64_t stalls = 0;  // reserve had to wait
  double stall_seconds = 0.0;
  std::uint64_t spilled_packets = 0;
  std::uint64_t spilled_bytes = 0;
  std::size_t most_bytes_under_way = 0;
};

// The end that sends. One thread. Nothing here is collective.
class Producer {
 public:
  virtual ~Producer() = default;

  // Space for one packet with `payload` bytes, 64-byte aligned, valid until publish. One reservation at a
  // time. When the buffer is full: waits, spills or throws Error(full) as the options say. Throws
  // Error(usage) if a packet of this size can never fit, Error(lost) if the receiver is gone while waiting,
  // and the fault that it raised.
  virtual std::span<std::byte> reserve(std::size_t payload) = 0;
  // Hands the reserved packet over. Does not block.
  virtual void publish(const model::PacketHeader& header) = 0;
  // Makes sure that a sleeping receiver wakes up within some milliseconds, and lets messages progress. Called
  // at the end of each step.
  virtual void flush() = 0;
  // Returns when everything published has been taken and released by the receiver (or Error(lost), or
  // the fault).
  virtual void drain() = 0;

  // The oldest fault that the receiver raised and that was not yet taken. Costs one load when there is none.
  virtual std::optional<base::Fault> take_fault() = 0;
  // Whether the receiver asked that the run come to its end. Costs one load, or (mpi) a look for messages.
  virtual bool stop_requested() = 0;
  // As the last word of a rank that leaves without `finish`: safe in an exit handler, never throws, never
  // blocks.
  virtual void abandon() noexcept = 0;
  virtual const ProducerCounters& counters() const = 0;
  virtual std::size_t bytes_under_way() const = 0;
  virtual std::size_t capacity() const = 0;

  // Called again and again while this end waits for the other, with the seconds that the wait has lasted so
  // far. What it throws ends the wait.
  void look_while_waiting(std::function<void(double)> look) { look_ = std::move(look); }
  // Called before this end says of itself that the other is gone; may throw what is known of it.
  void explain_loss(std::function<void()> explain) { explain_ = std::move(explain); }

 protected:
  std::function<void(double)> look_;
  std::function<void()> explain_;
};

// What is published without much of the buffer in use wakes no receiver that gets up by itself within this
// time, in seconds: a waking costs as much as copying a few 100 KiB. So it may see it as much later.
constexpr double patience = 2e-2;

// What several consumers of one thread have in common; each kind of transport knows its own.
class PollGroup {
 public:
  virtual ~PollGroup() = default;
};

class ReceiveBudget;

// The end that receives.
class Consumer : public PacketSource {
 public:
  // Before the first next(): this and the other consumers that join the same group look for packets together.
  // Null at first; the first consumer for which it makes a difference creates it.
  virtual void join(std::shared_ptr<PollGroup>&) {}
  // Before the first next(): what comes in messages stays with the sender while `room` has none. It must live
  // longer. Nothing changes where packets are worked on in memory that both ends see.
  virtual void receive_into(ReceiveBudget&) {}
  // A channel knows these.
  void request_stop() override = 0;
  bool alive() override = 0;
  bool needs_polling() const override { return false; }
  std::size_t bytes_under_way() const override = 0;
  std::size_t capacity() const override = 0;
};

// What a process that receives sleeps on. Woken by ring() from any sender or thread.
class Doorbell {
 public:
  virtual ~Doorbell() = default;
  virtual void ring() = 0;  // cheap when nobody sleeps (no system call)
  // As ring, but who gets up by itself within `patience` seconds is left asleep: nothing that costs more than
  // a look.
  virtual void nudge(double patience) = 0;
  virtual std::uint32_t ticket() const = 0;  // take it, look for work, then sleep with it
  // Sleeps until somebody rang after `ticket` was taken, or the time is over. Does not burn the core: a spin
  // of a few microseconds at most, then a futex.
  virtual void sleep(std::uint32_t ticket, double seconds) = 0;
};

}  // namespace tailrace::transport
