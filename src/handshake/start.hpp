// The first exchange between all ranks of a run: who is there, what the configurations say, and who serves
// whom.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "handshake/failure_detection/lifelines.hpp"
#include "handshake/restart.hpp"
#include "handshake/run.hpp"

namespace tailrace::handshake {

// What a rank has after `start`, before it knows any field.
struct Started {
  std::unique_ptr<comm::Communicator> world;  // all ranks of the run; a duplicate of the model's
  std::unique_ptr<comm::Communicator>
      component;                              // the model ranks of this component; null on a dedicated server
  std::unique_ptr<comm::Communicator> model;  // the same ranks, for the model's own use
  std::unique_ptr<comm::Communicator> servers;  // the servers; null on a rank that is none
  Run run;
  int number = -1;                      // of this rank's component
  Lifelines lifelines = {};             // until those that look at them take them
  std::optional<Restart> restart = {};  // of a model rank: from which it goes on; find_restart
};

// Collective over the communicator. `serves`: this rank is a `tailrace serve`. Throws the same Error on every
// rank.
Started start(int communicator, const std::string& configuration, const std::string& component, bool serves);

}  // namespace tailrace::handshake
