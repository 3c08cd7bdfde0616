// The exchange among the ranks of one node.
#pragma once

#include <functional>
#include <vector>

#include "comm/communicator.hpp"
#include "handshake/run.hpp"

namespace tailrace::handshake {

// Collective over the ranks of each node. `cpus`: the hardware threads of this rank, as ranges (to_ranges).
// Reads the nodes of `run`, and sets the processes and hardware threads of the ranks of this node.
void meet_neighbours(comm::Communicator& world, const std::vector<int>& cpus, Run& run,
                     const std::function<void()>& meanwhile);

}  // namespace tailrace::handshake
