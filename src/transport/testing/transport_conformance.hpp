// What every transport must do. Each case has a part for the client and a part for the server; the caller
// runs the two in threads, processes or ranks. A part throws when something is not as it should be.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "transport/transport.hpp"

namespace tailrace::transport::testing {

#define TRANSPORT_REQUIRE(condition) \
  if (!(condition))                  \
  throw std::runtime_error(fmt::format("transport_conformance:{}: {}", __LINE__, #condition))

struct Case {
  std::string name;
  BufferOptions options;
  std::function<void(Producer&)> produce;
  std::function<void(Consumer&, Doorbell&)> consume;
};

using model::RecordHeader;
using model::RecordKind;

inline void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Both sides compute a record from its number alone.
inline std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}
inline RecordHeader header_of(std::uint64_t number) {
  return {RecordKind::block, static_cast<std::int32_t>(mix(number) % 1000), static_cast<std::int64_t>(number),
          0.5 * static_cast<double>(number)};
}
inline void fill(std::span<std::byte> payload, std::uint64_t number) {
  std::uint64_t state = mix(number);
  std::size_t i = 0;
  for (; i + 8 <= payload.size(); i += 8, state += 0x9e3779b97f4a7c15)
    std::memcpy(payload.data() + i, &state, 8);
  for (; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(state >> (8 * (i % 8)));
}
inline void check(const Record& record, std::uint64_t number, std::size_t size) {
  TRANSPORT_REQUIRE(record.sequence == number);
  TRANSPORT_REQUIRE(record.payload.size() == size);
  TRANSPORT_REQUIRE(reinterpret_cast<std::uintptr_t>(record.payload.data()) % 64 == 0);
  const RecordHeader expected = header_of(number);
  TRANSPORT_REQUIRE(record.header.kind == expected.kind && record.header.number == expected.number &&
                    record.header.step == expected.step && record.header.time == expected.time);
  thread_local std::vector<std::byte> content;
  content.resize(size);
  fill(content, number);
  TRANSPORT_REQUIRE(size == 0 || std::memcmp(content.data(), record.payload.data(), size) == 0);
}

inline void put(Producer& producer, std::uint64_t number, std::size_t size) {
  const auto place = producer.reserve(size);
  TRANSPORT_REQUIRE(place.size() == size);
  TRANSPORT_REQUIRE(reinterpret_cast<std::uintptr_t>(place.data()) % 64 == 0);
  fill(place, number);
  producer.commit(header_of(number));
}
inline void finish(Producer& producer) {
  producer.reserve(0);
  producer.commit({RecordKind::finish, 0, 0, 0.0});
  producer.drain();
  TRANSPORT_REQUIRE(producer.bytes_under_way() == 0);
}

// The next record, waiting at most half a minute.
inline Record await_next(Consumer& consumer, Doorbell& doorbell) {
  for (const auto begin = std::chrono::steady_clock::now();
       std::chrono::steady_clock::now() - begin < std::chrono::seconds(30);) {
    const auto ticket = doorbell.ticket();
    if (const auto record = consumer.next()) return *record;
    doorbell.sleep(ticket, consumer.needs_polling() ? 1e-4 : 0.5);
  }
  throw std::runtime_error("transport_conformance: no record came");
}
inline void consume_finish(Consumer& consumer, Doorbell& doorbell) {
  const Record record = await_next(consumer, doorbell);
  TRANSPORT_REQUIRE(record.header.kind == RecordKind::finish);
  consumer.release(record.sequence);
  for (int i = 0; i < 3; ++i) {
    TRANSPORT_REQUIRE(!consumer.next());
    pause(1e-3);
  }
}

using Size = std::function<std::size_t(std::uint64_t)>;

// `count` records; the server holds up to `held` of them and gives them back in random order, `delay` says
// how often each side dawdles (one time in so many; 0: never).
inline Case stream(std::string name, BufferOptions options, std::uint64_t count, Size size, std::size_t held,
                   unsigned delay) {
  const auto dawdle = [delay](std::mt19937_64& random) {
    if (delay > 0 && random() % delay == 0) pause(1e-6 * static_cast<double>(random() % 300));
  };
  const auto produce = [=](Producer& producer) {
    std::mt19937_64 random(1);
    for (std::uint64_t i = 0; i < count; ++i) {
      put(producer, i, size(i));
      dawdle(random);
      if (random() % 100 == 0) producer.flush();
    }
    finish(producer);
    TRANSPORT_REQUIRE(producer.counters().records == count + 1);
    TRANSPORT_REQUIRE(producer.counters().most_bytes_under_way <= producer.capacity());
    if (options.when_full == WhenFull::wait) TRANSPORT_REQUIRE(producer.counters().spilled_records == 0);
  };
  const auto consume = [=](Consumer& consumer, Doorbell& doorbell) {
    std::mt19937_64 random(2);
    std::vector<Record> kept;
    const auto release_one = [&] {
      const std::size_t which = random() % kept.size();
      const Record& given = kept[which];
      check(given, given.sequence, size(given.sequence));  // still in place
      consumer.release(given.sequence);
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(which));
    };
    for (std::uint64_t i = 0; i < count; ++i) {
      std::optional<Record> record = consumer.next();
      while (!record && !kept.empty()) {  // what is kept may be what the client waits for
        release_one();
        record = consumer.next();
      }
      if (!record) record = await_next(consumer, doorbell);
      check(*record, i, size(i));
      kept.push_back(*record);
      dawdle(random);
      while (kept.size() > held) release_one();
    }
    for (const Record& record : kept) consumer.release(record.sequence);
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
  cases.push_back(stream("random_sizes", {.bytes = 64 * kib}, 5000, random_size(9000), 4, 0));
  cases.push_back(stream("one_at_a_time", {.bytes = 64 * kib}, 2000, random_size(60000), 0, 0));
  cases.push_back(stream("barely_fitting", {.bytes = 64 * kib}, 500, constant(64 * kib - 64), 0, 0));
  cases.push_back(stream("more_than_half", {.bytes = 64 * kib}, 1000, random_size(40000), 0, 50));
  cases.push_back(stream("random_delays", {.bytes = 64 * kib}, 3000, random_size(6000), 6, 4));
  cases.push_back(stream("large", {.bytes = 4096 * kib}, 60, random_size(2000 * kib), 0, 0));
  cases.push_back(stream("million_tiny", {.bytes = 1024 * kib}, 1000000, constant(8), 0, 0));
  cases.push_back(stream("empty", {.bytes = 4 * kib}, 3000, constant(0), 7, 0));
  const BufferOptions spill{.bytes = 64 * kib, .when_full = WhenFull::spill};
  cases.push_back(stream("spill_random_sizes", spill, 3000, random_size(9000), 5, 0));
  cases.push_back(stream("spill_random_delays", spill, 2000, random_size(9000), 3, 5));
  cases.push_back(stream("spill_larger_than_buffer", spill, 200, random_size(200 * kib), 2, 0));
  cases.push_back(
      stream("spill_tiny", {.bytes = 4 * kib, .when_full = WhenFull::spill}, 30000, constant(24), 3, 0));
  return cases;
}

// The server takes nothing back for a while: a client that waits must stand still within its bound.
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
    std::vector<Record> kept{await_next(consumer, doorbell)};
    for (int i = 0; i < 200; ++i) {
      if (const auto record = consumer.next()) kept.push_back(*record);
      pause(1e-3);
    }
    TRANSPORT_REQUIRE(kept.size() >= 5 && kept.size() <= consumer.capacity() / size);
    TRANSPORT_REQUIRE(consumer.bytes_under_way() <= consumer.capacity());
    for (const Record& record : kept) check(record, record.sequence, size);
    for (const Record& record : kept) consumer.release(record.sequence);
    for (std::uint64_t i = kept.size(); i < 60; ++i) {
      const Record record = await_next(consumer, doorbell);
      check(record, i, size);
      consumer.release(record.sequence);
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
        TRANSPORT_REQUIRE(std::string(error.what()).find("no room for a record of 6000 bytes") == 0);
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
      const Record record = await_next(consumer, doorbell);
      check(record, i, size);
      consumer.release(record.sequence);
    }
    consume_finish(consumer, doorbell);
  };
  return {"fail_when_full", {.bytes = 64 << 10, .when_full = WhenFull::fail}, produce, consume};
}

// A client that spills never waits, and what was spilled keeps its place in the order.
inline Case spill_without_waiting() {
  const std::uint64_t count = 2000;
  const std::size_t size = 5000;
  const auto produce = [=](Producer& producer) {
    for (std::uint64_t i = 0; i < count; ++i) put(producer, i, size);
    producer.flush();
    TRANSPORT_REQUIRE(producer.counters().stalls == 0);
    TRANSPORT_REQUIRE(producer.counters().spilled_records > 0);
    TRANSPORT_REQUIRE(producer.counters().spilled_bytes == size * producer.counters().spilled_records);
    finish(producer);
  };
  const auto consume = [=](Consumer& consumer, Doorbell& doorbell) {
    pause(0.05);
    std::vector<Record> kept;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Record record = await_next(consumer, doorbell);
      check(record, i, size);
      kept.push_back(record);
      if (kept.size() < 5) continue;
      for (auto it = kept.rbegin(); it != kept.rend(); ++it) consumer.release(it->sequence);
      kept.clear();
    }
    for (const Record& record : kept) consumer.release(record.sequence);
    consume_finish(consumer, doorbell);
  };
  return {"spill_without_waiting", {.bytes = 64 << 10, .when_full = WhenFull::spill}, produce, consume};
}

inline Case too_large() {
  const auto produce = [](Producer& producer) {
    put(producer, 0, 100);
    for (const std::size_t size : {producer.capacity(), producer.capacity() * 3, SIZE_MAX - 100}) {
      try {
        producer.reserve(size);
        TRANSPORT_REQUIRE(!"a record larger than the buffer was accepted");
      } catch (const Error& error) {
        TRANSPORT_REQUIRE(error.code() == ErrorCode::usage);
        const std::string expected = fmt::format(
            "a record of {} bytes can never fit into the buffer of {} bytes", size, producer.capacity());
        TRANSPORT_REQUIRE(std::string(error.what()).find(expected) == 0);
      }
    }
    put(producer, 1, 200);
    finish(producer);
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    for (const std::uint64_t i : {0, 1}) {
      const Record record = await_next(consumer, doorbell);
      check(record, i, 100 * (i + 1));
      consumer.release(i);
    }
    consume_finish(consumer, doorbell);
  };
  return {"too_large", {.bytes = 64 << 10}, produce, consume};
}

// Reserving again gives the first place up.
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
      const Record record = await_next(consumer, doorbell);
      check(record, i, 100 + static_cast<std::size_t>(i) * 50);
      consumer.release(i);
    }
    consume_finish(consumer, doorbell);
  };
  return {"reserve_twice", {.bytes = 64 << 10}, produce, consume};
}

inline std::string long_fault() { return std::string(2000, 'x') + " disk full"; }

// Faults come in the order they were raised, at the client's next looks.
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
    const Record record = await_next(consumer, doorbell);
    check(record, 1, 10);
    consumer.raise({ErrorCode::lost, "third"});
    // Nothing is released until the client has seen the fault: it ends the client's wait and lets it go on.
    const Record last = await_next(consumer, doorbell);
    TRANSPORT_REQUIRE(last.header.kind == RecordKind::finish);
    consumer.release(record.sequence);
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
    producer.reserve(500);  // taken, never committed
    producer.abandon();
    producer.abandon();
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    TRANSPORT_REQUIRE(consumer.alive() || !consumer.needs_polling());
    for (std::uint64_t i = 0; i < 5; ++i) {
      const Record record = await_next(consumer, doorbell);
      check(record, i, 1000);
      consumer.release(i);
    }
    const Record record = await_next(consumer, doorbell);
    TRANSPORT_REQUIRE(record.header.kind == RecordKind::abandon && record.payload.empty());
    consumer.release(record.sequence);
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
    const Record record = await_next(consumer, doorbell);
    TRANSPORT_REQUIRE(record.header.kind == RecordKind::finish);
    consumer.release(record.sequence);
    for (int i = 0; i < 50; ++i) {
      TRANSPORT_REQUIRE(!consumer.next());
      pause(1e-3);
    }
  };
  return {"abandon_after_finish", {.bytes = 64 << 10}, produce, consume};
}

// A server that ends with records in hand leaves no client waiting.
inline Case server_ends() {
  const auto produce = [](Producer& producer) {
    try {
      for (std::uint64_t i = 0; i < 1000; ++i) put(producer, i, 5000);
      producer.drain();
      TRANSPORT_REQUIRE(!"the client did not notice that the server had ended");
    } catch (const Error& error) {
      TRANSPORT_REQUIRE(error.code() == ErrorCode::lost);
      TRANSPORT_REQUIRE(std::string(error.what()).find("the server is gone (it has ended)") == 0);
    }
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    for (std::uint64_t i = 0; i < 50; ++i) {
      const Record record = await_next(consumer, doorbell);
      if (i < 45) consumer.release(record.sequence);
    }
  };
  return {"server_ends", {.bytes = 64 << 10}, produce, consume};
}

// Several threads of the server work on the records of a client.
inline Case released_by_threads() {
  const std::uint64_t count = 4000;
  const auto size = [](std::uint64_t i) { return static_cast<std::size_t>(mix(i) % 3000); };
  const auto produce = [=](Producer& producer) {
    for (std::uint64_t i = 0; i < count; ++i) put(producer, i, size(i));
    finish(producer);
  };
  const auto consume = [=](Consumer& consumer, Doorbell& doorbell) {
    std::mutex mutex;
    std::vector<Record> work;
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
        const Record record = work.back();
        work.pop_back();
        lock.unlock();
        try {
          check(record, record.sequence, size(record.sequence));
        } catch (const std::exception& error) {
          lock.lock();
          wrong = error.what();
          lock.unlock();
        }
        consumer.release(record.sequence);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(worker);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Record record = await_next(consumer, doorbell);
      const std::lock_guard lock(mutex);
      work.push_back(record);
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

inline std::vector<Case> conformance_cases() {
  std::vector<Case> cases = streams();
  for (auto make : {wait_when_full, fail_when_full, spill_without_waiting, too_large, reserve_twice, faults,
                    abandon, abandon_after_finish, server_ends, released_by_threads}) {
    cases.push_back(make());
  }
  return cases;
}

}  // namespace tailrace::transport::testing
