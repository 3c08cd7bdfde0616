// Where a server takes the packets of one client from. The receiving end of a channel is one (Consumer in
// transport.hpp); the callbacks of another library, or a file that is replayed, can be another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "model/block.hpp"

namespace tailrace::transport {

struct Packet {
  model::PacketHeader header;
  std::span<const std::byte> payload;  // in place, until released
  std::uint64_t sequence = 0;          // 0, 1, 2, ... in the order of publications
};

// next(), take() and needs_polling() are called from one thread; release(), raise(), request_stop(),
// say_written(), bytes_under_way() and capacity() from any thread. Functions with a default are optional: a
// source without memory of its own or without a sender that listens needs only the three pure functions.
//
// The packets of a client: blocks of fields that do not change (step model::static_step); then, for each
// step, a `tick` and the blocks of that step; `finish` is the last one. All clients of a component give the
// same ticks.
class PacketSource {
 public:
  virtual ~PacketSource() = default;
  virtual std::optional<Packet> next() = 0;          // never blocks
  virtual void release(std::uint64_t sequence) = 0;  // in any order, once each
  virtual void raise(const base::Fault& fault) = 0;  // reaches the sender at its next call
  // Appends packets to `packets` as calls of next() would, until there is no more, there are `most`, they
  // have `bytes` of payload or more, or one is not a block.
  virtual void take(std::vector<Packet>& packets, std::size_t most, std::size_t bytes);
  virtual void release(std::span<const Packet> packets);  // all of these
  virtual void request_stop() {}                          // asks the sender to end the run early
  // Tells the sender that what it sent up to this step is written; the latest call counts.
  virtual void say_written(std::int64_t) {}
  // The last message to a sender whose last packet is released, where it needs one. next() is not called
  // again.
  virtual void close() {}
  // False once the sender has ended or its process is known to be gone; may stay true too long.
  virtual bool alive() { return true; }
  // Packets arrive only while next() is called: no doorbell announces them, so the receiver must not sleep
  // long.
  virtual bool needs_polling() const { return true; }
  virtual std::size_t bytes_under_way() const { return 0; }  // published and not released
  virtual std::size_t capacity() const { return 0; }         // the bound on that; 0: there is none
};

}  // namespace tailrace::transport
