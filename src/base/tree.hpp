// Ranks as a tree, so that a word from all or to all costs none of them more than a few messages.
#pragma once

#include <vector>

namespace tailrace::base {

inline constexpr int tree_width = 16;  // children of a rank at most; 100,000 ranks are five deep at most

struct Branch {
  int parent = -1;            // of the root, rank 0
  std::vector<int> children;  // ascending
  int end = 0;                // below this rank are those behind it, up to this one
};

// Of `rank` among `size`. What a rank puts together from itself and its children in turn is in rank order.
Branch branch_of(int rank, int size);

}  // namespace tailrace::base
