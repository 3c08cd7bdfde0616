// What only the ranks of one node need of each other.
#pragma once

#include <functional>
#include <vector>

#include "comm/communicator.hpp"
#include "handshake/run.hpp"

namespace tailrace::handshake {

// Collective over the ranks of each node. `cpus`: on which this rank may run, as ranges. Of `run` it needs
// the nodes, and sets the processes and the cpus of this one.
void meet_neighbours(comm::Communicator& world, const std::vector<int>& cpus, Run& run,
                     const std::function<void()>& meanwhile);

}  // namespace tailrace::handshake
