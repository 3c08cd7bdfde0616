// The conformance tests of every transport, in both directions. The caller runs the two parts of each case in
// threads, processes or ranks.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "transport/testing/stop_request.hpp"
#include "transport/testing/streams.hpp"
#include "transport/testing/written.hpp"

namespace tailrace::transport::testing {

// The receiver releases nothing for a while: the sender must wait within its bound.
inline Case wait_when_full() {
  const std::size_t size = 6000;
  const auto produce = [=](Producer& producer) {
    for (std::uint64_t i = 0; i < 60; ++i) put(producer, i, size);
    TRANSPORT_REQUIRE(producer.counters().stalls > 0);
    TRANSPORT_REQUIRE(producer.counters().stall_seconds > 0.1);
    finish(producer);
    TRANSPORT_REQUIRE(producer.counters().most_bytes_under_way > producer.capacity() / 2);
  };
  const auto consume = [=](Consumer& consumer, Doorbell& doorbell) {
    std::vector<Packet> kept{await_next(consumer, doorbell)};
    for (int i = 0; i < 200; ++i) {
      if (const auto packet = consumer.next()) kept.push_back(*packet);
      pause(1e-3);
    }
    TRANSPORT_REQUIRE(kept.size() >= 5 && kept.size() <= consumer.capacity() / size);
    TRANSPORT_REQUIRE(consumer.bytes_under_way() <= consumer.capacity());
    for (const Packet& packet : kept) check(packet, packet.sequence, size);
    for (const Packet& packet : kept) consumer.release(packet.sequence);
    for (std::uint64_t i = kept.size(); i < 60; ++i) {
      const Packet packet = await_next(consumer, doorbell);
      check(packet, i, size);
      consumer.release(packet.sequence);
    }
    consume_finish(consumer, doorbell);
  };
  return {"wait_when_full", {.bytes = 64 << 10}, produce, consume};
}

inline Case fail_when_full() {
  const std::size_t size = 6000;
  const auto produce = [=](Producer& producer) {
    std::uint64_t number = 0;
    int refused = 0;
    while (number < 40) {
      try {
        put(producer, number, size);
        ++number;
      } catch (const Error& error) {
        TRANSPORT_REQUIRE(error.code() == ErrorCode::full);
        TRANSPORT_REQUIRE(std::string(error.what()).find("no room for a packet of 6000 bytes") == 0);
        TRANSPORT_REQUIRE(number >= 9);
        ++refused;
        pause(1e-3);
      }
    }
    TRANSPORT_REQUIRE(refused > 0);
    TRANSPORT_REQUIRE(producer.counters().stalls == 0);
    producer.drain();
    finish(producer);
  };
  const auto consume = [=](Consumer& consumer, Doorbell& doorbell) {
    pause(0.1);
    for (std::uint64_t i = 0; i < 40; ++i) {
      const Packet packet = await_next(consumer, doorbell);
      check(packet, i, size);
      consumer.release(packet.sequence);
    }
    consume_finish(consumer, doorbell);
  };
  return {"fail_when_full", {.bytes = 64 << 10, .when_full = WhenFull::fail}, produce, consume};
}

// A sender that spills never waits, and spilled packets keep their order.
inline Case spill_without_waiting() {
  const std::uint64_t count = 2000;
  const std::size_t size = 5000;
  const auto produce = [=](Producer& producer) {
    for (std::uint64_t i = 0; i < count; ++i) put(producer, i, size);
    producer.flush();
    TRANSPORT_REQUIRE(producer.counters().stalls == 0);
    TRANSPORT_REQUIRE(producer.counters().spilled_packets > 0);
    TRANSPORT_REQUIRE(producer.counters().spilled_bytes == size * producer.counters().spilled_packets);
    finish(producer);
  };
  const auto consume = [=](Consumer& consumer, Doorbell& doorbell) {
    pause(0.05);
    std::vector<Packet> kept;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Packet packet = await_next(consumer, doorbell);
      check(packet, i, size);
      kept.push_back(packet);
      if (kept.size() < 5) continue;
      for (auto it = kept.rbegin(); it != kept.rend(); ++it) consumer.release(it->sequence);
      kept.clear();
    }
    for (const Packet& packet : kept) consumer.release(packet.sequence);
    consume_finish(consumer, doorbell);
  };
  return {"spill_without_waiting", {.bytes = 64 << 10, .when_full = WhenFull::spill}, produce, consume};
}

// take() gives the same packets as next(), but stops after one that is not a block, and never gives many more
// bytes than requested.
inline Case many_at_once(const char* name, BufferOptions options) {
  const std::uint64_t count = 3000;
  const auto size_of = [](std::uint64_t i) { return static_cast<std::size_t>(i * 37 % 900); };
  const auto is_tick = [](std::uint64_t i) { return i % 100 == 99; };
  const auto produce = [=](Producer& producer) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!is_tick(i)) {
        put(producer, i, size_of(i));
        continue;
      }
      producer.reserve(0);
      producer.publish({PacketKind::tick, 0, static_cast<std::int64_t>(i), 0.0});
      producer.flush();
    }
    finish(producer);
  };
  const auto consume = [=](Consumer& consumer, Doorbell& doorbell) {
    std::vector<Packet> kept;
    for (std::uint64_t i = 0; i < count;) {
      const std::size_t before = kept.size();
      const auto ticket = doorbell.ticket();
      consumer.take(kept, 40, 10000);
      if (kept.size() == before) doorbell.sleep(ticket, consumer.needs_polling() ? 1e-4 : 0.5);
      std::size_t bytes = 0;
      for (std::size_t taken = before; taken < kept.size(); ++taken, ++i) {
        TRANSPORT_REQUIRE(kept[taken].sequence == i && bytes < 10000);
        bytes += kept[taken].payload.size();
        if (is_tick(i)) {
          TRANSPORT_REQUIRE(kept[taken].header.kind == PacketKind::tick && taken + 1 == kept.size());
        } else {
          check(kept[taken], i, size_of(i));
        }
      }
      TRANSPORT_REQUIRE(kept.size() <= before + 40);
      // Some are kept a while, but not while the sender may be waiting for their room.
      if (i % 3 == 0 && kept.size() > before) continue;
      consumer.release(kept);
      kept.clear();
    }
    consumer.release(kept);
    consume_finish(consumer, doorbell);
  };
  return {name, options, produce, consume};
}

inline Case too_large() {
  const auto produce = [](Producer& producer) {
    put(producer, 0, 100);
    for (const std::size_t size : {producer.capacity(), producer.capacity() * 3, SIZE_MAX - 100}) {
      try {
        producer.reserve(size);
        TRANSPORT_REQUIRE(!"a packet larger than the buffer was accepted");
      } catch (const Error& error) {
        TRANSPORT_REQUIRE(error.code() == ErrorCode::usage);
        const std::string expected = fmt::format(
            "a packet of {} bytes can never fit into the buffer of {} bytes", size, producer.capacity());
        TRANSPORT_REQUIRE(std::string(error.what()).find(expected) == 0);
      }
    }
    put(producer, 1, 200);
    finish(producer);
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    for (const std::uint64_t i : {0, 1}) {
      const Packet packet = await_next(consumer, doorbell);
      check(packet, i, 100 * (i + 1));
      consumer.release(i);
    }
    consume_finish(consumer, doorbell);
  };
  return {"too_large", {.bytes = 64 << 10}, produce, consume};
}

// A second reservation discards the first.
inline Case reserve_twice() {
  const auto produce = [](Producer& producer) {
    for (std::uint64_t i = 0; i < 300; ++i) {
      fill(producer.reserve(30000), 12345);
      put(producer, i, 100 + static_cast<std::size_t>(i) * 50);
    }
    finish(producer);
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    for (std::uint64_t i = 0; i < 300; ++i) {
      const Packet packet = await_next(consumer, doorbell);
      check(packet, i, 100 + static_cast<std::size_t>(i) * 50);
      consumer.release(i);
    }
    consume_finish(consumer, doorbell);
  };
  return {"reserve_twice", {.bytes = 64 << 10}, produce, consume};
}

inline std::string long_fault() { return std::string(2000, 'x') + " disk full"; }

// Faults arrive in the order in which they were raised.
inline Case faults() {
  const auto await_fault = [](Producer& producer) {
    for (int i = 0; i < 20000; ++i) {
      producer.flush();
      if (auto fault = producer.take_fault()) return *fault;
      pause(1e-3);
    }
    throw std::runtime_error("transport_conformance: no fault came");
  };
  const auto produce = [=](Producer& producer) {
    TRANSPORT_REQUIRE(!producer.take_fault());
    put(producer, 0, 10);
    producer.flush();
    const base::Fault first = await_fault(producer);
    TRANSPORT_REQUIRE(first.code == ErrorCode::resource && first.message == "profiles.nc: disk full");
    const base::Fault second = await_fault(producer);
    TRANSPORT_REQUIRE(second.code == ErrorCode::internal && second.message == long_fault());
    TRANSPORT_REQUIRE(!producer.take_fault());
    put(producer, 1, 10);
    try {  // and end a wait
      producer.drain();
      TRANSPORT_REQUIRE(!"drain ended without the fault");
    } catch (const Error& error) {
      TRANSPORT_REQUIRE(error.code() == ErrorCode::lost && std::string(error.what()) == "third");
    }
    finish(producer);
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    consumer.release(await_next(consumer, doorbell).sequence);
    std::thread other([&] {
      consumer.raise({ErrorCode::resource, "profiles.nc: disk full"});
      consumer.raise({ErrorCode::internal, long_fault()});
    });
    other.join();
    const Packet packet = await_next(consumer, doorbell);
    check(packet, 1, 10);
    consumer.raise({ErrorCode::lost, "third"});
    // Nothing is released until the sender has seen the fault: it ends its wait and lets it go on.
    const Packet last = await_next(consumer, doorbell);
    TRANSPORT_REQUIRE(last.header.kind == PacketKind::finish);
    consumer.release(packet.sequence);
    consumer.release(last.sequence);
    for (int i = 0; i < 50; ++i) {
      TRANSPORT_REQUIRE(!consumer.next());
      pause(1e-3);
    }
  };
  return {"faults", {.bytes = 64 << 10}, produce, consume};
}

inline Case abandon() {
  const auto produce = [](Producer& producer) {
    for (std::uint64_t i = 0; i < 5; ++i) put(producer, i, 1000);
    producer.reserve(500);  // taken, never published
    producer.abandon();
    producer.abandon();
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    TRANSPORT_REQUIRE(consumer.alive() || !consumer.needs_polling());
    for (std::uint64_t i = 0; i < 5; ++i) {
      const Packet packet = await_next(consumer, doorbell);
      check(packet, i, 1000);
      consumer.release(i);
    }
    const Packet packet = await_next(consumer, doorbell);
    TRANSPORT_REQUIRE(packet.header.kind == PacketKind::abandon && packet.payload.empty());
    consumer.release(packet.sequence);
    TRANSPORT_REQUIRE(!consumer.next());
  };
  return {"abandon", {.bytes = 64 << 10}, produce, consume};
}

// After `finish` there is nothing to abandon.
inline Case abandon_after_finish() {
  const auto produce = [](Producer& producer) {
    finish(producer);
    producer.abandon();
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    const Packet packet = await_next(consumer, doorbell);
    TRANSPORT_REQUIRE(packet.header.kind == PacketKind::finish);
    consumer.release(packet.sequence);
    for (int i = 0; i < 50; ++i) {
      TRANSPORT_REQUIRE(!consumer.next());
      pause(1e-3);
    }
  };
  return {"abandon_after_finish", {.bytes = 64 << 10}, produce, consume};
}

// The sender does not wait for a receiver that ends before it has released all packets.
inline Case receiver_ends(Sender sender) {
  const std::string expected =
      fmt::format("the {} is gone (it has ended)", sender == Sender::inviter ? "server" : "client");
  const auto produce = [=](Producer& producer) {
    try {
      for (std::uint64_t i = 0; i < 1000; ++i) put(producer, i, 5000);
      producer.drain();
      TRANSPORT_REQUIRE(!"the sender did not notice that the receiver had ended");
    } catch (const Error& error) {
      TRANSPORT_REQUIRE(error.code() == ErrorCode::lost);
      TRANSPORT_REQUIRE(std::string(error.what()).find(expected) == 0);
    }
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    for (std::uint64_t i = 0; i < 50; ++i) {
      const Packet packet = await_next(consumer, doorbell);
      if (i < 45) consumer.release(packet.sequence);
    }
  };
  return {"receiver_ends", {.bytes = 64 << 10}, produce, consume};
}

// Several threads work on the packets of one sender.
inline Case released_by_threads() {
  const std::uint64_t count = 4000;
  const auto size = [](std::uint64_t i) { return static_cast<std::size_t>(mix(i) % 3000); };
  const auto produce = [=](Producer& producer) {
    for (std::uint64_t i = 0; i < count; ++i) put(producer, i, size(i));
    finish(producer);
  };
  const auto consume = [=](Consumer& consumer, Doorbell& doorbell) {
    std::mutex mutex;
    std::vector<Packet> work;
    bool over = false;
    std::string wrong;
    const auto worker = [&] {
      while (true) {
        std::unique_lock lock(mutex);
        if (work.empty() && over) return;
        if (work.empty()) {
          lock.unlock();
          std::this_thread::yield();
          continue;
        }
        const Packet packet = work.back();
        work.pop_back();
        lock.unlock();
        try {
          check(packet, packet.sequence, size(packet.sequence));
        } catch (const std::exception& error) {
          lock.lock();
          wrong = error.what();
          lock.unlock();
        }
        consumer.release(packet.sequence);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(worker);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Packet packet = await_next(consumer, doorbell);
      const std::lock_guard lock(mutex);
      work.push_back(packet);
    }
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    for (std::thread& thread : threads) thread.join();
    if (!wrong.empty()) throw std::runtime_error(wrong);
    consume_finish(consumer, doorbell);
  };
  return {"released_by_threads", {.bytes = 64 << 10}, produce, consume};
}

inline std::vector<Case> conformance_cases(Sender sender) {
  std::vector<Case> cases = streams();
  for (auto make : {wait_when_full, fail_when_full, spill_without_waiting, too_large, reserve_twice, faults,
                    stop_request, written, abandon, abandon_after_finish, released_by_threads}) {
    cases.push_back(make());
  }
  cases.push_back(receiver_ends(sender));
  cases.push_back(many_at_once("many_at_once", {.bytes = 256 << 10}));
  cases.push_back(many_at_once("many_at_once_spilled", {.bytes = 64 << 10, .when_full = WhenFull::spill}));
  for (Case& each : cases) each.sender = sender;
  return cases;
}

// The inviter sends, then the invitee.
inline std::vector<Case> both_directions() {
  std::vector<Case> cases = conformance_cases(Sender::inviter);
  for (Case& each : conformance_cases(Sender::invitee)) cases.push_back(std::move(each));
  return cases;
}

}  // namespace tailrace::transport::testing
