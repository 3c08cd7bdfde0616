// Who serves whom: a pure function of what all ranks say of themselves, which the first one evaluates.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "handshake/bootstrap/strided_runs.hpp"
#include "settings/configuration.hpp"

namespace tailrace::handshake {

// What one rank of the communicator says of itself.
struct Participant {
  bool serves = false;    // started as `tailrace serve`
  std::string component;  // of a model rank
  int node = 0;           // ranks with the same number share memory
  int domain = -1;        // the NUMA domain of the node to which the rank is bound; -1: to none, or unknown
  int only_core = -1;     // that it is bound to, by its first hardware thread; -1: to none, or to several
};

// The same on all ranks, and short as long as neighbouring ranks have much in common.
struct Assignment {
  StridedRuns servers;       // ranks of the communicator, ascending; in modes attached and inline all models
  StridedRuns server_of;     // by rank: number of its server; -1 for a dedicated server rank itself
  StridedRuns component_of;  // by rank: index into components; -1 for a dedicated server rank
  std::vector<std::string> components;
  std::vector<StridedRuns> ranks;  // by component: its model ranks, ascending
};

// The clients of a server in a component: their ranks in it, and in the communicator; ascending.
std::vector<std::pair<int, int>> clients_of(const Assignment& assignment, int server, std::size_t component);

void put_assignment(base::ByteWriter& writer, const Assignment& assignment);
Assignment get_assignment(base::ByteReader& reader);

// Clients go to a server of their own NUMA domain where it has one, else of their node, in blocks of
// neighbouring ranks; otherwise to all servers evenly. Throws Error(configuration) where no server or no
// model rank is left.
Assignment place(const std::vector<Participant>& participants, const settings::ServersOptions& options);

}  // namespace tailrace::handshake
