// Cases of the conformance suite that send many packets and check each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "transport/testing/packets.hpp"

namespace tailrace::transport::testing {

// A part for the sending end and one for the receiving end; each throws if a check fails. `sender` determines
// which of them invites the other.
struct Case {
  std::string name;
  BufferOptions options;
  std::function<void(Producer&)> produce;
  std::function<void(Consumer&, Doorbell&)> consume;
  Sender sender = Sender::inviter;
};
inline void PrintTo(const Case& tried, std::ostream* out) { *out << tried.name; }  // found by GoogleTest

using Size = std::function<std::size_t(std::uint64_t)>;

struct Pace {
  std::size_t held = 0;  // packets that the receiver holds before it gives any back, in random order
  unsigned delay = 0;    // each side pauses once per this number of packets; 0: never
};

// `count` packets.
inline Case stream(std::string name, BufferOptions options, std::uint64_t count, Size size, Pace pace = {}) {
  const auto dawdle = [pace](std::mt19937_64& random) {
    if (pace.delay > 0 && random() % pace.delay == 0) pause(1e-6 * static_cast<double>(random() % 300));
  };
  const auto produce = [=](Producer& producer) {
    std::mt19937_64 random(1);
    for (std::uint64_t i = 0; i < count; ++i) {
      put(producer, i, size(i));
      dawdle(random);
      if (random() % 100 == 0) producer.flush();
    }
    finish(producer);
    TRANSPORT_REQUIRE(producer.counters().packets == count + 1);
    TRANSPORT_REQUIRE(producer.counters().most_bytes_under_way <= producer.capacity());
    if (options.when_full == WhenFull::wait) TRANSPORT_REQUIRE(producer.counters().spilled_packets == 0);
  };
  const auto consume = [=](Consumer& consumer, Doorbell& doorbell) {
    std::mt19937_64 random(2);
    std::vector<Packet> kept;
    const auto release_one = [&] {
      const std::size_t which = random() % kept.size();
      const Packet& given = kept[which];
      check(given, given.sequence, size(given.sequence));  // still in place
      consumer.release(given.sequence);
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(which));
    };
    for (std::uint64_t i = 0; i < count; ++i) {
      std::optional<Packet> packet = consumer.next();
      while (!packet && !kept.empty()) {  // what is kept may be what the sender waits for
        release_one();
        packet = consumer.next();
      }
      if (!packet) packet = await_next(consumer, doorbell);
      check(*packet, i, size(i));
      kept.push_back(*packet);
      dawdle(random);
      while (kept.size() > pace.held) release_one();
    }
    for (const Packet& packet : kept) consumer.release(packet.sequence);
    consume_finish(consumer, doorbell);
    TRANSPORT_REQUIRE(consumer.bytes_under_way() == 0);
  };
  return {std::move(name), std::move(options), produce, consume};
}

inline std::vector<Case> streams() {
  const auto random_size = [](std::size_t most) {
    return [most](std::uint64_t i) { return static_cast<std::size_t>(mix(i + 77) % (most + 1)); };
  };
  const auto constant = [](std::size_t size) { return [size](std::uint64_t) { return size; }; };
  const std::size_t kib = 1024;
  std::vector<Case> cases;
  cases.push_back(stream("random_sizes", {.bytes = 64 * kib}, 5000, random_size(9000), {.held = 4}));
  cases.push_back(stream("one_at_a_time", {.bytes = 64 * kib}, 2000, random_size(60000)));
  cases.push_back(stream("barely_fitting", {.bytes = 64 * kib}, 500, constant(64 * kib - 64)));
  cases.push_back(stream("more_than_half", {.bytes = 64 * kib}, 1000, random_size(40000), {.delay = 50}));
  cases.push_back(
      stream("random_delays", {.bytes = 64 * kib}, 3000, random_size(6000), {.held = 6, .delay = 4}));
  cases.push_back(stream("large", {.bytes = 4096 * kib}, 60, random_size(2000 * kib)));
  cases.push_back(stream("million_tiny", {.bytes = 1024 * kib}, 1000000, constant(8)));
  cases.push_back(stream("empty", {.bytes = 4 * kib}, 3000, constant(0), {.held = 7}));
  const BufferOptions spill{.bytes = 64 * kib, .when_full = WhenFull::spill};
  cases.push_back(stream("spill_random_sizes", spill, 3000, random_size(9000), {.held = 5}));
  cases.push_back(stream("spill_random_delays", spill, 2000, random_size(9000), {.held = 3, .delay = 5}));
  cases.push_back(stream("spill_larger_than_buffer", spill, 200, random_size(200 * kib), {.held = 2}));
  cases.push_back(stream("spill_tiny", {.bytes = 4 * kib, .when_full = WhenFull::spill}, 30000, constant(24),
                         {.held = 3}));
  return cases;
}

}  // namespace tailrace::transport::testing
