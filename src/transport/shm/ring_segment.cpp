// The ring of a client in shared memory: made by the client, accepted by its server.
#include <fmt/format.h>
#include <unistd.h>

#include <new>

#include "base/bytes.hpp"
#include "transport/endpoints.hpp"
#include "transport/invitation.hpp"
#include "transport/messages.hpp"
#include "transport/ring_consumer.hpp"
#include "transport/ring_producer.hpp"
#include "transport/shm/segment.hpp"

namespace tailrace::transport::shm {
namespace {

RingControl& control_of(const Segment& segment) {
  return *std::launder(reinterpret_cast<RingControl*>(segment.data()));
}

// The client's memory and the name of its spill file, if it has one.
struct ClientMemory {
  explicit ClientMemory(std::size_t capacity)
      : segment(Segment::create(control_size + capacity, fmt::format("a buffer of {} bytes", capacity))) {}
  ~ClientMemory() {
    // The server takes the name away when it attaches.
    const bool attached = control_of(segment).attached.load(std::memory_order_acquire) != 0;
    if (!spill_path.empty() && !attached) ::unlink(spill_path.c_str());
  }
  ClientMemory(const ClientMemory&) = delete;
  ClientMemory& operator=(const ClientMemory&) = delete;
  Segment segment;
  std::string spill_path;
};

}  // namespace

ProducerEnd make_producer(const BufferOptions& options, const std::string& doorbell_name) {
  const std::size_t capacity = capacity_of(options);
  const auto memory = std::make_shared<ClientMemory>(capacity);
  RingControl& control = prepare(memory->segment.data(), capacity);
  std::optional<SpillFile> spill;
  if (options.when_full == WhenFull::spill) {
    spill.emplace(SpillFile::create(options.spill_directory));
    memory->spill_path = spill->path();
  }
  base::ByteWriter invitation;
  invitation.put(Kind::shm);
  invitation.put_text(memory->segment.name());
  invitation.put_text(memory->spill_path);
  const RingPlace place{memory, &control, memory->segment.data() + control_size};
  return {std::make_unique<RingProducer>(place, options.when_full, std::move(spill),
                                         attach_doorbell(doorbell_name)),
          to_invitation(invitation)};
}

std::unique_ptr<Consumer> accept(base::ByteReader& invitation, Doorbell& doorbell) {
  const std::string name = invitation.get_text();
  const std::string spill_path = invitation.get_text();
  auto segment = std::make_shared<Segment>(Segment::attach(name));
  std::optional<SpillFile> spill;
  if (!spill_path.empty()) {
    spill.emplace(SpillFile::open(spill_path));
    spill->unlink();
  }
  forget(name);  // both sides have it: from here on nothing can be left behind
  RingControl& control = control_of(*segment);
  if (segment->size() < control_size || control.magic != layout_magic || control.version != layout_version ||
      segment->size() != control_size + control.capacity) {
    throw Error(ErrorCode::internal,
                "the shared memory " + name + " holds no ring of this version of Tailrace");
  }
  const RingPlace place{segment, &control, segment->data() + control_size};
  return std::make_unique<RingConsumer>(place, std::move(spill), doorbell);
}

}  // namespace tailrace::transport::shm
