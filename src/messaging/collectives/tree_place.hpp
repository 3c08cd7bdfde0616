// The tree along which the ranks of a group pass messages on, so that a message from all or to all costs none
// of them more than a few.
#pragma once

#include <cstddef>
#include <vector>

namespace tailrace::messaging {

inline constexpr int tree_width = 16;  // children of a rank at most; 100,000 ranks are five deep at most

// The place of one rank in the tree that has `root` at its top: ranks are numbered from the root on, round
// the end. What a rank puts together from itself and its children in turn is in that order.
struct TreePlace {
  TreePlace(int rank, int size, int root = 0);

  int rank;
  int parent = -1;  // of the root
  std::vector<int> children;
  int end = 0;  // of the tree with root 0: the ranks below this one are those behind it, up to this one

  // From where this rank receives on the way to the root: itself, and its children.
  std::size_t sources() const { return 1 + children.size(); }
  std::size_t source_of(int from) const;
};

}  // namespace tailrace::messaging
