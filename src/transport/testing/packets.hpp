// Packets that both sides can compute from their numbers, and how they are put and awaited in the tests of
// transports.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "transport/transport.hpp"

namespace tailrace::transport::testing {

#define TRANSPORT_REQUIRE(condition) \
  if (!(condition))                  \
  throw std::runtime_error(fmt::format("transport_conformance:{}: {}", __LINE__, #condition))

using model::PacketHeader;
using model::PacketKind;

inline void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Both sides compute a packet from its number alone.
inline std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}
inline PacketHeader header_of(std::uint64_t number) {
  return {PacketKind::block, static_cast<std::int32_t>(mix(number) % 1000), static_cast<std::int64_t>(number),
          0.5 * static_cast<double>(number)};
}
inline void fill(std::span<std::byte> payload, std::uint64_t number) {
  std::uint64_t state = mix(number);
  std::size_t i = 0;
  for (; i + 8 <= payload.size(); i += 8, state += 0x9e3779b97f4a7c15)
    std::memcpy(payload.data() + i, &state, 8);
  for (; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(state >> (8 * (i % 8)));
}
inline void check(const Packet& packet, std::uint64_t number, std::size_t size) {
  TRANSPORT_REQUIRE(packet.sequence == number);
  TRANSPORT_REQUIRE(packet.payload.size() == size);
  TRANSPORT_REQUIRE(reinterpret_cast<std::uintptr_t>(packet.payload.data()) % 64 == 0);
  const PacketHeader expected = header_of(number);
  TRANSPORT_REQUIRE(packet.header.kind == expected.kind && packet.header.number == expected.number &&
                    packet.header.step == expected.step && packet.header.time == expected.time);
  thread_local std::vector<std::byte> content;
  content.resize(size);
  fill(content, number);
  TRANSPORT_REQUIRE(size == 0 || std::memcmp(content.data(), packet.payload.data(), size) == 0);
}

inline void put(Producer& producer, std::uint64_t number, std::size_t size) {
  const auto place = producer.reserve(size);
  TRANSPORT_REQUIRE(place.size() == size);
  TRANSPORT_REQUIRE(reinterpret_cast<std::uintptr_t>(place.data()) % 64 == 0);
  fill(place, number);
  producer.publish(header_of(number));
}
inline void finish(Producer& producer) {
  producer.reserve(0);
  producer.publish({PacketKind::finish, 0, 0, 0.0});
  producer.drain();
  TRANSPORT_REQUIRE(producer.bytes_under_way() == 0);
}

// The next packet, waiting at most half a minute.
inline Packet await_next(Consumer& consumer, Doorbell& doorbell) {
  for (const auto begin = std::chrono::steady_clock::now();
       std::chrono::steady_clock::now() - begin < std::chrono::seconds(30);) {
    const auto ticket = doorbell.ticket();
    if (const auto packet = consumer.next()) return *packet;
    doorbell.sleep(ticket, consumer.needs_polling() ? 1e-4 : 0.5);
  }
  throw std::runtime_error("transport_conformance: no packet came");
}
inline void consume_finish(Consumer& consumer, Doorbell& doorbell) {
  const Packet packet = await_next(consumer, doorbell);
  TRANSPORT_REQUIRE(packet.header.kind == PacketKind::finish);
  consumer.release(packet.sequence);
  for (int i = 0; i < 3; ++i) {
    TRANSPORT_REQUIRE(!consumer.next());
    pause(1e-3);
  }
}

}  // namespace tailrace::transport::testing
