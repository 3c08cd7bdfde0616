// What all ranks say to the first one and it to all, up and down a tree.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "handshake/ready/tree.hpp"

namespace tailrace::handshake {

// That all ranks fail alike: each of them knows it already.
struct AgreedFault : Error {
  using Error::Error;
};

struct Exchange {
  std::function<void(std::span<const std::byte>)> join;  // what a child says for itself and all below it
  std::function<std::vector<std::byte>()> say;     // of this rank and all below it, once these have joined
  std::function<std::vector<std::byte>()> answer;  // of the first rank, to all
  std::function<void()> meanwhile;                 // while others are awaited; may throw to give up
};

// Gives the answer. What `answer` throws is thrown on all ranks as an AgreedFault, on those but the first
// with the words `on_others`. The words of one exchange are of no other: they may follow each other.
std::vector<std::byte> exchange(Tree& tree, const Exchange& what, const std::string& on_others);

// Until all ranks of the tree have come to it.
void come_together(Tree& tree, const std::function<void()>& meanwhile);

}  // namespace tailrace::handshake
