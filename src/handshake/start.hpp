// The first exchange between all ranks of a run: which ranks take part, what the configurations contain, and
// which server serves which client.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/lifelines.hpp"
#include "handshake/restart.hpp"
#include "handshake/run.hpp"

namespace tailrace::handshake {

// The state of a rank after `start`, before any declaration.
struct Started {
  // All ranks of the run; a duplicate of the model's. The streams of a session share it.
  std::shared_ptr<comm::Communicator> world;
  std::unique_ptr<comm::Communicator>
      component;                              // the model ranks of this component; null on a dedicated server
  std::unique_ptr<comm::Communicator> model;  // the same ranks, for the model's own use
  std::unique_ptr<comm::Communicator> servers;  // the servers; null on other ranks
  Run run;
  int number = -1;                      // of this rank's component, in `run`
  Place place = -1;                     // for the tags of its messages
  int components = 0;                   // of `start`, whose places are the first
  Lifelines lifelines = {};             // until a FailureDetector or PeerServers takes them
  std::optional<Restart> restart = {};  // of a model rank, once find_restart() has set it
};

// Where a component has its configuration from.
struct ConfigurationOrigin {
  std::string path;       // of the user's file; may be empty if there is a text
  std::string text = {};  // that the model gives, in YAML
};

// Collective over the communicator. `serves`: this rank is a `tailrace serve`. Throws the same Error on every
// rank.
Started start(int communicator, const ConfigurationOrigin& configuration, const std::string& component,
              bool serves);

}  // namespace tailrace::handshake
