// The tags of messages between model ranks and servers before the first block and after the last one.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::handshake {

// Message tags on the communicator of the whole run. The transport between nodes uses the tags from
// `first_transport` on.
enum class Tag : int {
  welcome = 1,  // server → client: the name of its doorbell
  ready = 2,   // first rank of a component → servers, along a tree: its number and declarations, or a fault
  invite = 3,  // client → its server: the address of its buffer, or a fault
  reply = 4,   // server → client: all servers are set up, or a fault
  goodbye = 5,        // server → client: all files are closed; the faults
  abort_notice = 6,   // a rank that fails, or detects a failure → ranks that may wait for it: AbortNotice
  server_failed = 7,  // AbortNotice, to servers
  ping = 8,           // a waiting rank → a server on another node
  pong = 9,           // the answer to a ping
  bootstrap_up = 10,  // in `start`, along the tree of all ranks
  bootstrap_down = 11,
  node_up = 12,  // in `start`, along the tree of the ranks of a node
  node_down = 13,
  lifeline = 14,  // server → the ranks that watch it: its process and TCP address
  check_up = 15,  // the check for unreceived messages at the end
  check_down = 16,
  open = 17,       // first rank of an output stream → first server: StreamNotice
  announced = 18,  // along the tree of servers: the number of a stream, and its StreamNotice
  first_transport = 100,
};
inline constexpr int tags_per_component = 8;  // for the transport, and behind them for streams

// A place among the tags above, for the messages of a component. The components of `start` have the first
// ones. The places of output streams follow: a stream has one that is free on all of its ranks, so streams
// without a common rank may have the same.
using Place = int;

// The tag of one of the messages ready, invite, reply and goodbye. `components`: of `start`; they have the
// tags of Tag itself. A rank may have a message of several streams at once.
int message_tag(Tag tag, Place place, int components);
// Throws Error(usage) if MPI need not provide the tags of this place.
void check_place(Place place);

// The purpose of a channel between a client and its server. The values are part of messages.
enum class Purpose : std::uint8_t {
  output = 0,  // packets of the model to its server; every client has it
  input = 1,   // records of input fields to the client, which makes the channel; only where there are any
};
inline constexpr int transport_tags_per_channel = 2;
// The first tag of a channel.
int channel_tag(Place place, Purpose purpose);

// One channel in the message `invite`. The text is empty where both ends are in one process (LocalEnds).
struct Invitation {
  Purpose purpose = Purpose::output;
  std::string text;
};
void put_invitations(base::ByteWriter& writer, const std::vector<Invitation>& invitations);
std::vector<Invitation> get_invitations(base::ByteReader& reader);

// Passes the server's ends of channels from a client to the server in the same process. From any thread.
class LocalEnds {
 public:
  void leave(std::unique_ptr<transport::Consumer> consumer);  // of the channel for output
  void leave(std::unique_ptr<transport::Producer> producer);  // of the channel for input
  std::unique_ptr<transport::Consumer> take_consumer();
  std::unique_ptr<transport::Producer> take_producer();

 private:
  std::mutex mutex_;  // guards both
  std::unique_ptr<transport::Consumer> consumer_;
  std::unique_ptr<transport::Producer> producer_;
};

}  // namespace tailrace::handshake
