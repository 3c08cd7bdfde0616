// Who serves whom: a pure function of what every rank knows after the first exchange, so all ranks agree.
#pragma once

#include <string>
#include <vector>

#include "settings/configuration.hpp"

namespace tailrace::handshake {

// What one rank of the communicator says of itself.
struct Participant {
  bool serves = false;    // started as `tailrace serve`
  std::string component;  // of a model rank
  int node = 0;           // ranks with the same number share memory
  int domain = -1;        // the NUMA domain of the node to which the rank is bound; -1: to none, or unknown
  int only_cpu = -1;      // where it is bound to one hardware thread
};

struct Assignment {
  std::vector<int> servers;  // ranks of the communicator, ascending; in modes attached and inline all models
  std::vector<int> server_of;     // by rank: number of its server; -1 for a dedicated server rank itself
  std::vector<int> component_of;  // by rank: index into components; -1 for a dedicated server rank
  std::vector<std::string> components;
  std::vector<std::vector<int>> ranks;  // by component: its model ranks, ascending
};

// Clients go to a server of their own NUMA domain where it has one, else of their node, in blocks of
// neighbouring ranks; otherwise to all servers evenly. Throws Error(configuration) where no server or no
// model rank is left.
Assignment place(const std::vector<Participant>& participants, const settings::ServersOptions& options);

}  // namespace tailrace::handshake
