// The transports between two processes, by name. Each is a folder that registers itself. `loopback`, within
// one process, is not registered, because it is never chosen by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::transport {

// The two ends, as ranks of one communicator.
struct Pair {
  int inviter = 0;
  int invitee = 0;
  bool same_node = false;
};

// The parts that the inviter uses to reach the invitee. All that it refers to must outlive the inviter's end.
struct Route {
  comm::Communicator& communicator;
  Pair pair;
  int tag = 0;           // this and the next are the channel's own
  std::string doorbell;  // where the inviter sends: the name of the receiver's doorbell in memory of its node
  std::shared_ptr<Doorbell> attached =
      {};  // the same, if this process has attached to it; its name may be gone
};

// Immutable, so one object serves all threads.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::string name() const = 0;
  // Why it cannot connect the two, as a phrase that follows "is asked for, but"; nothing if it can.
  virtual std::optional<std::string> obstacle(const Pair& pair) const = 0;
  // `auto` takes the cheapest that can connect a pair; nothing: only if it is requested by name.
  virtual std::optional<int> cost() const = 0;
  // Whether both ends share memory of a node, so that a sender can ring the receiver's doorbell.
  virtual bool shares_memory() const = 0;
  // The inviter's end, which sends or receives. The invitation begins as begin_invitation(name(), ...) does.
  // `doorbell`: the inviter's own, which must live longer. Throw Error(resource).
  virtual ProducerEnd make_producer(const Route& route, const BufferOptions& options) const = 0;
  virtual ConsumerEnd make_consumer(const Route& route, const BufferOptions& options,
                                    const shm::NamedDoorbell& doorbell) const = 0;
  // The invitee's end; `invitation` continues behind what begin_invitation() wrote. Otherwise as
  // transport::accept and transport::accept_producer.
  virtual std::unique_ptr<Consumer> accept(base::ByteReader& invitation, comm::Communicator& communicator,
                                           int inviter, Doorbell& doorbell) const = 0;
  virtual std::unique_ptr<Producer> accept_producer(base::ByteReader& invitation,
                                                    comm::Communicator& communicator, int inviter) const = 0;
};

// Transports register themselves at the place of their definition:
//   const TransportRegistration registration{std::make_unique<SharedMemory>()};
class TransportRegistration {
 public:
  explicit TransportRegistration(std::unique_ptr<const Transport> transport);
};
const Transport* find_transport(const std::string& name);  // null where unknown
std::vector<std::string> transport_names();                // the cheapest first, those without cost last
std::vector<std::string> transport_choices();              // "auto" and these

// The transport `name`, or for "auto" the cheapest that can connect the pair. Throws Error(configuration) if
// it cannot.
const Transport& choose_transport(const std::string& name, const Pair& pair);

base::ByteWriter begin_invitation(const std::string& transport, Sender sender);
std::string to_invitation(const base::ByteWriter& writer);

}  // namespace tailrace::transport
