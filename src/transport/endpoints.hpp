// Makes the two ends of each kind of transport.
//
// A handshake takes three steps: the server makes its doorbell and tells its clients the name; each client
// makes its Producer and sends the invitation that came with it; the server accepts the invitation, whatever
// the kind, and has the Consumer. The invitation holds all that the server must know (sizes, names, policy,
// tag).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "comm/communicator.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport {

// The client's end, and bytes that its server must get once.
struct ProducerEnd {
  std::unique_ptr<Producer> producer;
  std::string invitation;
};

// A doorbell for a server whose clients are all in this process or behind MPI.
std::unique_ptr<Doorbell> make_heap_doorbell();

// The server's end for an invitation of `client` (its rank in `communicator`). `communicator` is used by mpi
// only and may then be used for nothing else with the invitation's tags. `doorbell` is the server's own; it
// and the communicator must live longer than the Consumer. Throws Error(resource) when the client's memory or
// file cannot be opened, Error(internal) for bytes that are no invitation.
std::unique_ptr<Consumer> accept(const std::string& invitation, comm::Communicator& communicator, int client,
                                 Doorbell& doorbell);

// Between processes of one node.
namespace shm {

// A doorbell in shared memory, and the name by which others on the node attach to it. The name goes away with
// forget_doorbell (once all have attached: then nothing can be left behind) or with the doorbell.
struct NamedDoorbell {
  std::unique_ptr<Doorbell> doorbell;
  std::string name;
};
NamedDoorbell make_doorbell();                                       // throws Error(resource)
std::unique_ptr<Doorbell> attach_doorbell(const std::string& name);  // throws Error(resource)
void forget_doorbell(const std::string& name);                       // any process may; more than once too

// Takes the whole buffer from the node's shared memory at once, so that a /dev/shm that is too small is an
// Error(resource) here and no signal later. Its name goes away when the server accepts, or with the Producer.
ProducerEnd make_producer(const BufferOptions& options, const std::string& doorbell_name);

}  // namespace shm

// Within one process: between threads, or in one thread.
namespace loopback {

struct LoopbackOptions {
  BufferOptions buffer;
  // Given for a server that runs in the client's own thread: called again and again instead of sleeping.
  std::function<void()> while_waiting;
};
struct Ends {
  std::unique_ptr<Producer> producer;
  std::unique_ptr<Consumer> consumer;
};
// `doorbell` must outlive both ends.
Ends make(const LoopbackOptions& options, Doorbell& doorbell);

}  // namespace loopback

// Between nodes, by messages. The Consumer sees messages only when its next() is called: no doorbell rings
// for them (Consumer::needs_polling).
namespace mpi {

// `communicator` must live longer; messages use `tag` (to the server) and `tag + 1` (back), so the tags of
// different producers between the same two ranks must differ by two or more. All calls of a Producer, and
// next() and the destructor of a Consumer, call MPI from the calling thread; release() and raise() do not.
ProducerEnd make_producer(comm::Communicator& communicator, int server, int tag,
                          const BufferOptions& options);

}  // namespace mpi
}  // namespace tailrace::transport
