// The tree along which the ranks of a group forward messages, so that a message from all or to all costs
// each rank only a few messages.
#pragma once

#include <cstddef>
#include <vector>

namespace tailrace::messaging {

inline constexpr int tree_width = 16;  // most children of a rank; 100,000 ranks need at most five levels

// The place of one rank in the tree that has `root` at its top. The tree numbers the ranks from the root on
// and wraps around after the last. Data that a rank joins from itself and then from its children is in this
// order.
struct TreePlace {
  TreePlace(int rank, int size, int root = 0);

  int rank;
  int parent = -1;  // on the root
  std::vector<int> children;
  int end = 0;  // of the tree with root 0: the ranks below this one are those behind it, up to this one

  // The sources of messages to the root that pass through this rank: itself and its children.
  std::size_t sources() const { return 1 + children.size(); }
  std::size_t source_of(int from) const;
};

}  // namespace tailrace::messaging
