// Point-to-point messages over a communicator, for ranks that poll: before there is a messenger, and between
// model ranks and servers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace tailrace::messaging {

// A message in flight. Keeps the bytes until MPI has sent them. The destructor does not wait: it leaves an
// incomplete request and its bytes to MPI, because the receiver may be dead and a wait would never return.
class Sending {
 public:
  Sending(comm::Communicator& communicator, std::vector<std::byte> bytes, int to, int tag);
  // For bytes that several messages share.
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

// Starts to send one message to each of these ranks, which share its bytes. Does not wait: keep `sendings`
// until they are done.
void start_sending(comm::Communicator& communicator, std::vector<std::byte> bytes, std::span<const int> to,
                   int tag, std::vector<Sending>& sendings);
// Receives the next message with this tag if one has arrived. Does not wait for one.
std::optional<std::vector<std::byte>> poll(comm::Communicator& communicator, int from, int tag);
// Sends, and calls `meanwhile` until the message has been sent.
template <class Meanwhile>
void send(comm::Communicator& communicator, std::vector<std::byte> bytes, int to, int tag,
          Meanwhile&& meanwhile) {
  Sending sending(communicator, std::move(bytes), to, tag);
  while (!sending.done()) meanwhile();
}

}  // namespace tailrace::messaging
