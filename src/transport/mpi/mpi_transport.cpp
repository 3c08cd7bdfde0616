// The two ends of messages between nodes, and their invitations.
#include "transport/messages.hpp"
#include "transport/mpi/mpi_consumer.hpp"
#include "transport/mpi/mpi_producer.hpp"
#include "transport/registry.hpp"

namespace tailrace::transport::mpi {
namespace {

constexpr const char* transport_name = "mpi";

class Messages final : public Transport {
 public:
  std::string name() const override { return transport_name; }
  std::optional<std::string> obstacle(const Pair&) const override { return std::nullopt; }
  std::optional<int> cost() const override { return 10; }
  bool shares_memory() const override { return false; }
  ProducerEnd make_producer(const Route& route, const BufferOptions& options) const override {
    return mpi::make_producer(route.communicator, route.pair.invitee, route.tag, options);
  }
  ConsumerEnd make_consumer(const Route& route, const BufferOptions& options,
                            const shm::NamedDoorbell& doorbell) const override {
    return mpi::make_consumer(route.communicator, route.pair.invitee, route.tag, options, *doorbell.doorbell);
  }
  std::unique_ptr<Consumer> accept(base::ByteReader& invitation, comm::Communicator& communicator,
                                   int inviter, Doorbell& doorbell) const override {
    const auto tag = invitation.get<std::int32_t>();
    const auto capacity = static_cast<std::size_t>(invitation.get<std::uint64_t>());
    return std::make_unique<MpiConsumer>(communicator, inviter, tag, capacity, doorbell);
  }
  // The buffer is in the sender's memory, so the invitation carries the inviter's options to it.
  std::unique_ptr<Producer> accept_producer(base::ByteReader& invitation, comm::Communicator& communicator,
                                            int inviter) const override {
    const auto tag = invitation.get<std::int32_t>();
    BufferOptions options;
    options.bytes = static_cast<std::size_t>(invitation.get<std::uint64_t>());
    options.when_full = invitation.get<WhenFull>();
    options.spill_directory = invitation.get_text();
    return std::make_unique<MpiProducer>(communicator, inviter, tag, options, Sender::invitee);
  }
};

const TransportRegistration registration{std::make_unique<Messages>()};

base::ByteWriter begin(Sender sender, int tag, std::size_t capacity) {
  base::ByteWriter invitation = begin_invitation(transport_name, sender);
  invitation.put(static_cast<std::int32_t>(tag));
  invitation.put(static_cast<std::uint64_t>(capacity));
  return invitation;
}

}  // namespace

ProducerEnd make_producer(comm::Communicator& communicator, int invitee, int tag,
                          const BufferOptions& options) {
  const base::ByteWriter invitation = begin(Sender::inviter, tag, capacity_of(options));
  return {.producer = std::make_unique<MpiProducer>(communicator, invitee, tag, options, Sender::inviter),
          .invitation = to_invitation(invitation)};
}

ConsumerEnd make_consumer(comm::Communicator& communicator, int invitee, int tag,
                          const BufferOptions& options, Doorbell& doorbell) {
  const std::size_t capacity = capacity_of(options);
  base::ByteWriter invitation = begin(Sender::invitee, tag, capacity);
  invitation.put(options.when_full);
  invitation.put_text(options.spill_directory);
  return {.consumer = std::make_unique<MpiConsumer>(communicator, invitee, tag, capacity, doorbell),
          .invitation = to_invitation(invitation)};
}

}  // namespace tailrace::transport::mpi
