// The TCP connections by which ranks detect the death of servers on other nodes. They are made in `start`.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "env/lifeline.hpp"
#include "handshake/failure_detection/death_listener.hpp"
#include "handshake/run.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {

struct LifelineTo {
  int server;  // its number
  env::Lifeline line;
};

// The ends of these connections on one rank. `watched`: on a server, its own listener; else null.
struct Lifelines {
  std::unique_ptr<DeathListener> watched;
  std::vector<LifelineTo> lines;
};

// Makes the connections: each server sends its address to its watchers, and each of these connects. No call
// waits.
class LifelinesInStart {
 public:
  // Both must live longer. Reads the assignment of `run`, and adds the processes of the servers that send
  // addresses.
  LifelinesInStart(comm::Communicator& world, Run& run);
  // May be called at any rate. Throws LostInStart if a server that this rank watches has died.
  void look();
  // True if no watcher of this server is missing and this rank has no connection pending.
  bool all_are_connected() const;
  Lifelines take() { return std::move(lifelines_); }

 private:
  comm::Communicator& world_;
  Run& run_;
  Lifelines lifelines_;
  std::vector<messaging::Sending> sendings_;
};

}  // namespace tailrace::handshake
