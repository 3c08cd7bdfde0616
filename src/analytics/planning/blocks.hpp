// Where the blocks of local nodes lie, on all ranks.
#pragma once

#include <vector>

#include "analytics/graph.hpp"
#include "analytics/placement.hpp"
#include "model/regions.hpp"

namespace tailrace::analytics::planning {

// Hundreds of nodes are cut over the ranks in a few ways: a node has the number of its way, and the regions
// are there once for each way.
struct Blocks {
  std::vector<model::Regions> cuts;  // by client of the component
  std::vector<int> cut;              // by node: index into `cuts`; -1 where not local

  const model::Regions& of(int node) const {
    return cuts[static_cast<std::size_t>(cut[static_cast<std::size_t>(node)])];
  }
};

// From where the blocks of the inputs lie. Throws Error(configuration) where fields that meet in an
// expression are cut differently.
Blocks find_blocks(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs);

}  // namespace tailrace::analytics::planning
