// Where a server of a component stands in the tree of its servers that has one of them, the root, at its top.
#pragma once

#include <cstddef>
#include <vector>

namespace tailrace::pipeline {

struct TreePlace {
  TreePlace(int own, int root, int servers);

  int server;
  int parent = -1;  // of the root
  std::vector<int> children;

  // Whom this server hears on the way to the root: itself, and its children.
  std::size_t sources() const { return 1 + children.size(); }
  std::size_t source_of(int from) const;
};

}  // namespace tailrace::pipeline
