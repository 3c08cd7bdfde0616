// An allreduce along a tree: messages are merged on the way up, and the first rank's answer is broadcast.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "messaging/collectives/polled_tree.hpp"

namespace tailrace::messaging {

// A fault that all ranks throw alike, so no rank needs to be notified.
struct AgreedFault : Error {
  using Error::Error;
};

struct PolledAllreduce {
  std::function<void(std::span<const std::byte>)> join;  // merges the message of a child and all below it
  std::function<std::vector<std::byte>()> merged;        // the message of this rank and all below it
  std::function<std::vector<std::byte>()> answer;        // on the first rank, for all
  std::function<void()> meanwhile;                       // called while waiting; may throw to give up
};

// Collective over the tree. Returns the answer. If `answer` throws, all ranks throw an AgreedFault, those
// other than the first with the message `on_others`. Allreduces on the same tree may directly follow each
// other.
std::vector<std::byte> allreduce(PolledTree& tree, const PolledAllreduce& what, const std::string& on_others);

// The second half of it: the first rank's answer on all ranks. It waits for the first rank only.
std::vector<std::byte> broadcast(PolledTree& tree, const std::function<std::vector<std::byte>()>& answer,
                                 const std::function<void()>& meanwhile, const std::string& on_others);

// A barrier: returns when all ranks of the tree have called it.
void synchronize(PolledTree& tree, const std::function<void()>& meanwhile);

}  // namespace tailrace::messaging
