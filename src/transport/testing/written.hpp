// Tests of what the receiver says of steps that are written.
#pragma once

#include <cstdint>

#include "transport/testing/streams.hpp"

namespace tailrace::transport::testing {

inline Case written() {
  constexpr std::int64_t before_zero = -3, after = 7;
  const auto await = [](Producer& producer, std::int64_t step) {
    for (int i = 0; i < 2000 && producer.written() < step; ++i) pause(1e-3);
    TRANSPORT_REQUIRE(producer.written() == step);
  };
  const auto produce = [await](Producer& producer) {
    TRANSPORT_REQUIRE(producer.written() == INT64_MIN);
    put(producer, 0, 10);
    producer.drain();  // the receiver says it before it releases
    await(producer, before_zero);
    put(producer, 1, 10);
    producer.drain();
    await(producer, after);
    finish(producer);
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    for (const std::int64_t step : {before_zero, after}) {
      const Packet packet = await_next(consumer, doorbell);
      consumer.say_written(step);
      consumer.release(packet.sequence);
    }
    consume_finish(consumer, doorbell);
  };
  return {"written", {.bytes = 64 << 10}, produce, consume};
}

}  // namespace tailrace::transport::testing
