// An allreduce along a tree: messages are merged on the way up, and the first rank's answer is broadcast.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "handshake/ready/tree.hpp"

namespace tailrace::handshake {

// A fault that all ranks throw alike, so no rank needs to be notified.
struct AgreedFault : Error {
  using Error::Error;
};

struct Exchange {
  std::function<void(std::span<const std::byte>)> join;  // merges the message of a child and all below it
  std::function<std::vector<std::byte>()> merged;        // the message of this rank and all below it
  std::function<std::vector<std::byte>()> answer;        // on the first rank, for all
  std::function<void()> meanwhile;                       // called while waiting; may throw to give up
};

// Collective over the tree. Returns the answer. If `answer` throws, all ranks throw an AgreedFault, those
// other than the first with the message `on_others`. Exchanges on the same tree may directly follow each
// other.
std::vector<std::byte> exchange(Tree& tree, const Exchange& what, const std::string& on_others);

// A barrier: returns when all ranks of the tree have called it.
void synchronize(Tree& tree, const std::function<void()>& meanwhile);

}  // namespace tailrace::handshake
