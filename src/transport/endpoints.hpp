// Makes the two ends of each kind of transport.
//
// The inviter makes the channel's memory and an invitation, which the caller transmits: all that the invitee
// must know (who sends, sizes, names, policy, tag). The invitee accepts it, whatever the kind of transport.
// Either may be the sender:
//
//   sends     the inviter calls   the invitee calls
//   inviter   make_producer       accept
//   invitee   make_consumer       accept_producer
//
// The receiver has a doorbell. A sender in another process of the node gets its name, before the invitation
// (make_producer) or with it (make_consumer).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "comm/communicator.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport {

// The inviter's end, and bytes that the invitee must get once.
struct ProducerEnd {
  std::unique_ptr<Producer> producer;
  std::string invitation;
};
struct ConsumerEnd {
  std::unique_ptr<Consumer> consumer;
  std::string invitation;
};

// A doorbell for a process whose senders are all in this process or behind MPI.
std::unique_ptr<Doorbell> make_heap_doorbell();

// The invitee's end for an invitation of `inviter` (its rank in `communicator`). `communicator` is used by
// mpi only and may then be used for nothing else with the invitation's tags. `doorbell` is this end's own; it
// and the communicator must live longer than the end. Throw Error(resource) when the inviter's memory or file
// cannot be opened, Error(internal) for bytes that are no invitation, or one in the other direction.
std::unique_ptr<Consumer> accept(const std::string& invitation, comm::Communicator& communicator, int inviter,
                                 Doorbell& doorbell);
std::unique_ptr<Producer> accept_producer(const std::string& invitation, comm::Communicator& communicator,
                                          int inviter);

// Transport between processes of one node.
namespace shm {

// A doorbell in shared memory, and the name by which others on the node attach to it. The name is removed by
// forget_doorbell (once all have attached: then a crash leaves nothing behind) or with the doorbell.
struct NamedDoorbell {
  std::unique_ptr<Doorbell> doorbell;
  std::string name;
};
NamedDoorbell make_doorbell();                                       // throws Error(resource)
std::unique_ptr<Doorbell> attach_doorbell(const std::string& name);  // throws Error(resource)
void forget_doorbell(const std::string& name);                       // any process may; more than once too

// Both allocate the whole buffer in the node's shared memory at once, so that a /dev/shm that is too small is
// an Error(resource) here and not a SIGBUS later. The buffer's name is removed when the invitee accepts, or
// with this end. `doorbell_name`: the receiver's; `doorbell`: this end's own, which must live longer.
ProducerEnd make_producer(const BufferOptions& options, const std::string& doorbell_name);
ProducerEnd make_producer(const BufferOptions& options, std::shared_ptr<Doorbell> attached);
ConsumerEnd make_consumer(const BufferOptions& options, const NamedDoorbell& doorbell);

}  // namespace shm

// Transport within one process: between threads, or in one thread.
namespace loopback {

struct LoopbackOptions {
  BufferOptions buffer;
  // For a receiver that works in the sender's own thread: called repeatedly instead of sleeping.
  std::function<void()> while_waiting;
  Sender sender = Sender::inviter;  // for messages alone: both ends are made here
};
struct Ends {
  std::unique_ptr<Producer> producer;
  std::unique_ptr<Consumer> consumer;
};
// `doorbell` is the receiver's and must outlive both ends.
Ends make(const LoopbackOptions& options, Doorbell& doorbell);

}  // namespace loopback

// Transport between nodes, by messages. The Consumer sees messages only when its next() is called: they ring
// no doorbell (Consumer::needs_polling).
namespace mpi {

// `communicator` must live longer; messages use `tag` (packets) and `tag + 1` (messages back to the sender),
// so the tags of different channels between the same two ranks must differ by two or more, whatever their
// direction. All calls of a Producer, and next() and the destructor of a Consumer, call MPI from the calling
// thread; release() and raise() do not. `invitee`: the rank that will accept.
ProducerEnd make_producer(comm::Communicator& communicator, int invitee, int tag,
                          const BufferOptions& options);
ConsumerEnd make_consumer(comm::Communicator& communicator, int invitee, int tag,
                          const BufferOptions& options, Doorbell& doorbell);

}  // namespace mpi
}  // namespace tailrace::transport
