// Recovers the checkpoint shards that earlier jobs left in the burst buffers of this job's nodes.
//
// A job that is killed after its shards were written to the nodes, but before they were drained, leaves the
// only copy of its newest checkpoint there. Each shard carries the host name of its node, and the directory
// of the checkpoint has a note that lists all shards. So a later job that gets the same nodes can drain them
// at its start. Without this step it would restart from an older checkpoint.
#pragma once

#include <functional>

#include "handshake/run.hpp"
#include "messaging/collectives/polled_tree.hpp"

namespace tailrace::handshake {

// Collective over all ranks of `tree`, in `start`. Each rank drains the shards on its node; the first rank
// then commits the checkpoints that are complete. Returns on all ranks what was drained. Does nothing and
// sends nothing if no component uses both a burst buffer and a restart. May block on the disk for long; calls
// `meanwhile` while waiting for other ranks. Logs a warning for each checkpoint that remains on the nodes,
// with the shard that is not accessible. Throws messaging::AgreedFault if another job holds the checkpoints
// open.
DrainedInStart drain_burst_buffers(messaging::PolledTree& tree, const Run& run,
                                   const std::function<void()>& meanwhile);

}  // namespace tailrace::handshake
