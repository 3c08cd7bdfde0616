// Pings by MPI: whether a server on another node still answers.
#pragma once

#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {

// The side of the waiting rank; one thread. At most one ping is in flight, and none is sent without a call.
class Ping {
 public:
  // `rank`: the server, in `world`, which must live longer.
  Ping(comm::Communicator& world, int rank) : world_(world), rank_(rank) {}

  void ask();        // sends a ping at most every second, once the previous one is answered
  double silence();  // seconds for which the current ping has been unanswered; 0: none is in flight

 private:
  bool open();

  comm::Communicator& world_;
  int rank_;
  std::vector<messaging::Sending> sending_;
  double pinged_at_ = 0.0;
  bool open_ = false;
};

// The side of the server. answer() may be called at any rate.
class PingResponder {
 public:
  explicit PingResponder(comm::Communicator& world) : world_(world) {}
  void answer();

 private:
  comm::Communicator& world_;
  std::vector<messaging::Sending> sendings_;
};

// At the end of a run: receives pings that the goodbye has overtaken, and answers that arrived after it.
void discard_late_pings(comm::Communicator& world);

}  // namespace tailrace::handshake
