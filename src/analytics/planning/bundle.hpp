// Bundling: diagnostics with the same expression on small blocks of the same shape are computed as one, with
// an additional first dimension. Otherwise hundreds of small diagnostics would cost mostly the overhead of
// each node. With it the cost of a step grows with the number of cells and not with the number of
// diagnostics.
#pragma once

#include <cstdint>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/placement.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::planning {

// The part of a graph that a step needs, after bundling. A member of a bundled node is one original node.
struct Bundled {
  struct Position {
    int node = -1;  // of `graph`; -1: not needed
    int member = 0;
  };

  Graph graph;          // without diagnostics
  Placement placement;  // of its nodes
  std::vector<std::vector<int>>
      members;                      // by node: its original nodes; several are along its first dimension
  std::vector<char> wanted;         // by node: whether it is the value of a due diagnostic
  std::vector<Position> positions;  // by original node

  bool several(int node) const { return members[base::index(node)].size() > 1; }
};

// `cells`: by node, the size of its largest block on any rank (only used for local nodes). `due`: by
// diagnostic. A pure function, so that all servers get the same result. Roots do not change.
Bundled bundle(const Graph& graph, const Placement& placement, const std::vector<std::int64_t>& cells,
               const std::vector<char>& due);

}  // namespace tailrace::analytics::planning
