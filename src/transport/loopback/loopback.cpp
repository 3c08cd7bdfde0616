// Both ends of a ring in the memory of one process.
#include "transport/endpoints.hpp"
#include "transport/mapping.hpp"
#include "transport/messages.hpp"
#include "transport/ring/ring_consumer.hpp"
#include "transport/ring/ring_producer.hpp"

namespace tailrace::transport::loopback {

Ends make(const LoopbackOptions& options, Doorbell& doorbell) {
  const std::size_t capacity = capacity_of(options.buffer);
  const auto memory = std::make_shared<Mapping>(Mapping::anonymous(control_size + capacity));
  const RingPlace place{memory, &prepare(memory->data(), capacity), memory->data() + control_size};
  std::optional<SpillFile> in;
  std::optional<SpillFile> out;
  if (options.buffer.when_full == WhenFull::spill) {
    in.emplace(SpillFile::create(options.buffer.spill_directory));
    in->unlink();
    out.emplace(in->duplicate());
  }
  const std::shared_ptr<Doorbell> bell(std::shared_ptr<void>(), &doorbell);  // the caller's
  Ends ends;
  ends.producer = std::make_unique<RingProducer>(place, RingSending{.sender = options.sender,
                                                                    .when_full = options.buffer.when_full,
                                                                    .spill = std::move(in),
                                                                    .doorbell = bell,
                                                                    .while_waiting = options.while_waiting});
  ends.consumer = std::make_unique<RingConsumer>(place, std::move(out), doorbell);
  return ends;
}

}  // namespace tailrace::transport::loopback
