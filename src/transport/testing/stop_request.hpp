// Tests of the receiver's request to end the run.
#pragma once

#include "transport/testing/streams.hpp"

namespace tailrace::transport::testing {

inline Case stop_request() {
  const auto produce = [](Producer& producer) {
    TRANSPORT_REQUIRE(!producer.stop_requested());
    put(producer, 0, 10);
    producer.drain();  // the receiver asks before it releases
    for (int i = 0; i < 2000 && !producer.stop_requested(); ++i) pause(1e-3);
    TRANSPORT_REQUIRE(producer.stop_requested());
    TRANSPORT_REQUIRE(producer.stop_requested());  // and it stays so
    finish(producer);
  };
  const auto consume = [](Consumer& consumer, Doorbell& doorbell) {
    const Packet packet = await_next(consumer, doorbell);
    consumer.request_stop();
    consumer.release(packet.sequence);
    consume_finish(consumer, doorbell);
  };
  return {"stop_request", {.bytes = 64 << 10}, produce, consume};
}

}  // namespace tailrace::transport::testing
