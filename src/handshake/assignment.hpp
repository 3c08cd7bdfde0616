// Assigns each model rank to a server: a pure function of the properties of all ranks. The first rank
// evaluates it and broadcasts the result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "handshake/bootstrap/strided_runs.hpp"
#include "settings/configuration.hpp"

namespace tailrace::handshake {

// The properties of one rank of the communicator.
struct Participant {
  bool serves = false;    // started as `tailrace serve`
  std::string component;  // empty for a server
  int node = 0;           // ranks with the same number share memory
  int domain = -1;        // the NUMA domain to which the rank is bound; -1: not bound, or unknown
  int only_core = -1;  // the first hardware thread of the core to which the rank is bound; -1: several cores
};

// Identical on all ranks. Run-length encoded, so it is short if neighbouring ranks have similar properties.
struct Assignment {
  StridedRuns servers;       // ranks of the communicator, ascending; all model ranks if attached or inline
  StridedRuns server_of;     // by rank: number of its server; -1 for a dedicated server
  StridedRuns component_of;  // by rank: index into components; -1 for a dedicated server
  std::vector<std::string> components;
  std::vector<StridedRuns> ranks;  // by component: its model ranks, ascending
};

// The clients of a server in one component as pairs (rank in the component, rank in the communicator),
// ascending.
std::vector<std::pair<int, int>> clients_of(const Assignment& assignment, int server, std::size_t component);

void put_assignment(base::ByteWriter& writer, const Assignment& assignment);
Assignment get_assignment(base::ByteReader& reader);

// Assigns each client to a server of its NUMA domain if there is one, else to a server of its node, in blocks
// of neighbouring ranks. Clients without a server on their node are distributed evenly over all servers.
// Throws Error(configuration) if no server or no model rank is left.
Assignment place(const std::vector<Participant>& participants, const settings::ServersOptions& options);

}  // namespace tailrace::handshake
