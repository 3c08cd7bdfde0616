// A tree of ranks, so that a reduction or a broadcast costs no rank more than a few messages.
#pragma once

#include <vector>

namespace tailrace::base {

inline constexpr int tree_width = 16;  // children of a rank at most; 100,000 ranks are five deep at most

struct Branch {
  int parent = -1;            // -1: the root, which is rank 0
  std::vector<int> children;  // ascending
  int end = 0;                // the subtree of a rank is the range [rank, end)
};

// The place of `rank` in a tree of `size` ranks. If each rank concatenates its own part and those of its
// children in turn, the result is in rank order.
Branch branch_of(int rank, int size);

}  // namespace tailrace::base
