// What jobs before left in the burst buffers of the nodes of this one.
#pragma once

#include <functional>

#include "handshake/ready/tree.hpp"
#include "handshake/run.hpp"

namespace tailrace::handshake {

// Collective over all ranks of the run, which `tree` joins, in `start`: each drains the members of
// checkpoints that lie on its node, and sets that are whole then count. Nothing is done, nor said, where no
// component asks for a burst buffer and a restart. May block on the disk for long; `meanwhile` is called
// while others are waited for. A warning names each set that stays on nodes, with the member that cannot be
// had. What was drained, on all ranks. Throws an AgreedFault where another job has the checkpoints open.
DrainedInStart drain_burst_buffers(Tree& tree, const Run& run, const std::function<void()>& meanwhile);

}  // namespace tailrace::handshake
