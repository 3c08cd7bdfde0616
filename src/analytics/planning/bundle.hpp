// Diagnostics that are made in the same way from small blocks of the same form are computed side by side: as
// one, with a dimension more in front. What a step costs then grows with its numbers and not with its names.
#pragma once

#include <cstdint>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/placement.hpp"

namespace tailrace::analytics::planning {

// The part of a graph that a step needs.
struct Bundled {
  struct Seat {
    int node = -1;  // of `graph`; -1: not needed
    int member = 0;
  };

  Graph graph;                            // without diagnostics
  Placement placement;                    // of its nodes
  std::vector<std::vector<int>> members;  // by node: the original ones; several lie along its first dimension
  std::vector<char> wanted;               // by node: it is the value of a diagnostic that is due
  std::vector<Seat> seats;                // by original node

  bool several(int node) const { return members[static_cast<std::size_t>(node)].size() > 1; }
};

// `cells`: by node, of its largest block on any rank (not used where it is not local). `due`: by diagnostic.
// A pure function, so that all servers do the same. Roots stay as they are.
Bundled bundle(const Graph& graph, const Placement& placement, const std::vector<std::int64_t>& cells,
               const std::vector<char>& due);

}  // namespace tailrace::analytics::planning
