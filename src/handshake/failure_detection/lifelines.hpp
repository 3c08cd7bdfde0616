// The TCP connections by which the death of servers on other nodes is seen, made while all ranks meet.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "env/lifeline.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/death_listener.hpp"
#include "handshake/run.hpp"

namespace tailrace::handshake {

struct LifelineTo {
  int server;  // its number
  env::Lifeline line;
};

// What a rank has of them. `watched`: of a server.
struct Lifelines {
  std::unique_ptr<DeathListener> watched;
  std::vector<LifelineTo> lines;
};

// No call waits. Each server tells those that are to watch it how; each rank connects to whoever tells it so.
class LifelinesInStart {
 public:
  // Both must live longer. Of `run` it needs what is agreed, and adds the processes of servers that tell it.
  LifelinesInStart(comm::Communicator& world, Run& run);
  // At any rate. Throws LostInStart where a server has died that this rank watches.
  void look();
  // Whether nobody is still to come to this server, and this rank connects to nobody.
  bool all_are_connected() const;
  Lifelines take() { return std::move(lifelines_); }

 private:
  comm::Communicator& world_;
  Run& run_;
  Lifelines lifelines_;
  std::vector<Sending> sendings_;
};

}  // namespace tailrace::handshake
