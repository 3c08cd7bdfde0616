// Whether a server on another node still answers, which cannot be seen from here.
#pragma once

#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"
#include "handshake/connection.hpp"

namespace tailrace::handshake {

// Of who asks, one thread. At most one question is under way, and none is asked without a call.
class Ping {
 public:
  // `rank`: of the server in `world`, which must live longer.
  Ping(comm::Communicator& world, int rank) : world_(world), rank_(rank) {}

  void ask();        // while waiting, at any rate: every second at most, once the last question is answered
  double silence();  // seconds for which the question that is open has had no answer; 0: there is none

 private:
  bool open();

  comm::Communicator& world_;
  int rank_;
  std::vector<Sending> question_;
  double asked_at_ = 0.0;
  bool open_ = false;
};

// Answers what others asked; of who is asked. At any rate.
class PingResponder {
 public:
  explicit PingResponder(comm::Communicator& world) : world_(world) {}
  void give();

 private:
  comm::Communicator& world_;
  std::vector<Sending> sendings_;
};

// At the end of a run: questions that the goodbye has overtaken, and answers that came after it.
void take_late_words(comm::Communicator& world);

}  // namespace tailrace::handshake
