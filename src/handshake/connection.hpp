// The words between model ranks and servers before the first record and after the last one.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/fault_bytes.hpp"
#include "comm/communicator.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::handshake {

// Tags on the communicator of the whole run. The transport between nodes uses those from `first_transport`
// on.
enum class Tag : int {
  welcome = 1,  // server → client: the name of its doorbell
  ready =
      2,  // first rank of a component → servers, along a tree: its number, declarations or why there are none
  invite = 3,        // client → its server: how to reach its buffer
  reply = 4,         // server → client: all set up, or the fault
  goodbye = 5,       // server → client: all files are closed; the faults there were
  abort_notice = 6,  // whoever cannot go on, or knows of one → those who may wait for it: which rank, and why
  loss = 7,          // the same → servers
  question = 8,      // whoever waits → a server of another node: do you answer?
  answer = 9,        // that one: yes
  call_up = 10,      // in `start`, along the tree of all ranks
  call_down = 11,
  node_up = 12,  // along that of the ranks of a node
  node_down = 13,
  lifeline = 14,  // server → who is to watch it: how
  check_up = 15,  // of a check at the end (unreceived)
  check_down = 16,
  first_transport = 100,
};
inline constexpr int transport_tags_per_component = 4;

// A message on its way; its bytes stay until the other side has taken them over. One that is given up while
// it is under way is left to MPI with its bytes: its receiver may be gone, and would be waited for without
// end.
class Sending {
 public:
  Sending(comm::Communicator& communicator, std::vector<std::byte> bytes, int to, int tag);
  // Of bytes that several messages share.
  Sending(comm::Communicator& communicator, std::shared_ptr<const std::vector<std::byte>> bytes, int to,
          int tag);
  ~Sending();
  Sending(Sending&&) noexcept = default;
  Sending& operator=(Sending&&) noexcept = default;
  bool done() { return request_->done(); }
  int to() const { return to_; }

 private:
  int to_;
  std::shared_ptr<const std::vector<std::byte>> bytes_;
  std::unique_ptr<comm::Request> request_;
};

// The next message with this tag, if it is there. Never blocks for long.
std::optional<std::vector<std::byte>> poll(comm::Communicator& communicator, int from, int tag);
// Sends, and waits until the other side has taken it over while `meanwhile` is called.
template <class Meanwhile>
void send(comm::Communicator& communicator, std::vector<std::byte> bytes, int to, int tag,
          Meanwhile&& meanwhile) {
  Sending sending(communicator, std::move(bytes), to, tag);
  while (!sending.done()) meanwhile();
}

// Where a client that lives in its server's process leaves the server's end of its buffer. From any thread.
class LocalEnds {
 public:
  void leave(std::unique_ptr<transport::Consumer> consumer);
  std::unique_ptr<transport::Consumer> take();

 private:
  std::mutex mutex_;  // guards consumer_
  std::unique_ptr<transport::Consumer> consumer_;
};

}  // namespace tailrace::handshake
