// A ring in shared memory: made by one end, accepted by the other, in either direction.
#include <fmt/format.h>
#include <unistd.h>

#include <new>

#include "base/bytes.hpp"
#include "transport/endpoints.hpp"
#include "transport/messages.hpp"
#include "transport/registry.hpp"
#include "transport/ring/ring_consumer.hpp"
#include "transport/ring/ring_producer.hpp"
#include "transport/shm/segment.hpp"

namespace tailrace::transport::shm {
namespace {

constexpr const char* transport_name = "shm";

RingControl& control_of(const Segment& segment) {
  return *std::launder(reinterpret_cast<RingControl*>(segment.data()));
}

// The inviter's memory and the name of the spill file, if there is one.
struct OwnMemory {
  OwnMemory(std::size_t capacity, Sender sends)
      : segment(Segment::create(control_size + capacity, fmt::format("a buffer of {} bytes", capacity))),
        sender(sends) {}
  ~OwnMemory() {
    // The invitee removes the name when it attaches.
    const RingControl& control = control_of(segment);
    const auto& attached = sender == Sender::inviter ? control.consumer_attached : control.producer_attached;
    if (!spill_path.empty() && attached.load(std::memory_order_acquire) == 0) ::unlink(spill_path.c_str());
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;
  Segment segment;
  Sender sender;
  std::string spill_path;
};

// The parts of a channel that both ends have, in either direction.
struct Ring {
  RingPlace place;
  std::optional<SpillFile> spill;
};

Ring make_ring(const BufferOptions& options, Sender sender, base::ByteWriter& invitation) {
  const std::size_t capacity = capacity_of(options);
  const auto memory = std::make_shared<OwnMemory>(capacity, sender);
  RingControl& control = prepare(memory->segment.data(), capacity);
  Ring ring{.place = {memory, &control, memory->segment.data() + control_size}, .spill = {}};
  if (options.when_full == WhenFull::spill) {
    ring.spill.emplace(SpillFile::create(options.spill_directory));
    memory->spill_path = ring.spill->path();
  }
  invitation.put_text(memory->segment.name());
  invitation.put_text(memory->spill_path);
  return ring;
}

Ring attach_ring(base::ByteReader& invitation) {
  const std::string name = invitation.get_text();
  const std::string spill_path = invitation.get_text();
  const auto segment = std::make_shared<Segment>(Segment::attach(name));
  std::optional<SpillFile> spill;
  if (!spill_path.empty()) {
    spill.emplace(SpillFile::open(spill_path));
    spill->unlink();
  }
  forget(name);  // both ends have mapped it: from here on a crash leaves nothing behind
  RingControl& control = control_of(*segment);
  if (segment->size() < control_size || control.magic != layout_magic || control.version != layout_version ||
      segment->size() != control_size + control.capacity) {
    throw Error(ErrorCode::internal,
                "the shared memory " + name + " does not contain a ring of this version of Tailrace");
  }
  return {.place = {segment, &control, segment->data() + control_size}, .spill = std::move(spill)};
}

}  // namespace

ProducerEnd make_producer(const BufferOptions& options, const std::string& doorbell_name) {
  return make_producer(options, std::shared_ptr<Doorbell>(attach_doorbell(doorbell_name)));
}

ProducerEnd make_producer(const BufferOptions& options, std::shared_ptr<Doorbell> attached) {
  base::ByteWriter invitation = begin_invitation(transport_name, Sender::inviter);
  Ring ring = make_ring(options, Sender::inviter, invitation);
  RingSending sending{.sender = Sender::inviter,
                      .when_full = options.when_full,
                      .spill = std::move(ring.spill),
                      .doorbell = std::move(attached),
                      .while_waiting = {}};
  return {.producer = std::make_unique<RingProducer>(std::move(ring.place), std::move(sending)),
          .invitation = to_invitation(invitation)};
}

ConsumerEnd make_consumer(const BufferOptions& options, const NamedDoorbell& doorbell) {
  base::ByteWriter invitation = begin_invitation(transport_name, Sender::invitee);
  Ring ring = make_ring(options, Sender::invitee, invitation);
  invitation.put(options.when_full);
  invitation.put_text(doorbell.name);
  return {.consumer = std::make_unique<RingConsumer>(std::move(ring.place), std::move(ring.spill),
                                                     *doorbell.doorbell),
          .invitation = to_invitation(invitation)};
}

namespace {

std::unique_ptr<Consumer> accept(base::ByteReader& invitation, Doorbell& doorbell) {
  Ring ring = attach_ring(invitation);
  return std::make_unique<RingConsumer>(std::move(ring.place), std::move(ring.spill), doorbell);
}

std::unique_ptr<Producer> accept_producer(base::ByteReader& invitation) {
  Ring ring = attach_ring(invitation);
  const auto when_full = invitation.get<WhenFull>();
  RingSending sending{.sender = Sender::invitee,
                      .when_full = when_full,
                      .spill = std::move(ring.spill),
                      .doorbell = attach_doorbell(invitation.get_text()),
                      .while_waiting = {}};
  return std::make_unique<RingProducer>(std::move(ring.place), std::move(sending));
}

class SharedMemory final : public Transport {
 public:
  std::string name() const override { return transport_name; }
  std::optional<std::string> obstacle(const Pair& pair) const override {
    if (pair.same_node) return std::nullopt;
    return fmt::format("rank {} and its server are on different nodes", pair.inviter);
  }
  std::optional<int> cost() const override { return 1; }
  bool shares_memory() const override { return true; }
  ProducerEnd make_producer(const Route& route, const BufferOptions& options) const override {
    return route.attached ? shm::make_producer(options, route.attached)
                          : shm::make_producer(options, route.doorbell);
  }
  ConsumerEnd make_consumer(const Route&, const BufferOptions& options,
                            const NamedDoorbell& doorbell) const override {
    return shm::make_consumer(options, doorbell);
  }
  std::unique_ptr<Producer> accept_producer(base::ByteReader& invitation, comm::Communicator&,
                                            int) const override {
    return shm::accept_producer(invitation);
  }
  std::unique_ptr<Consumer> accept(base::ByteReader& invitation, comm::Communicator&, int,
                                   Doorbell& doorbell) const override {
    return shm::accept(invitation, doorbell);
  }
};

const TransportRegistration registration{std::make_unique<SharedMemory>()};

}  // namespace

}  // namespace tailrace::transport::shm
