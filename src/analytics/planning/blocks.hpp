// The blocks of local nodes on all ranks.
#pragma once

#include <vector>

#include "analytics/graph.hpp"
#include "analytics/placement.hpp"
#include "base/index.hpp"
#include "model/regions.hpp"

namespace tailrace::analytics::planning {

// Hundreds of nodes share a few decompositions, so regions are stored once for each decomposition (`cuts`),
// and a node has the index of its decomposition (`cut`).
struct Blocks {
  std::vector<model::Regions> cuts;  // by client of the component
  std::vector<int> cut;              // by node: index into `cuts`; -1 if not local

  const model::Regions& of(int node) const { return cuts[base::index(cut[base::index(node)])]; }
};

// Derives the blocks of all nodes from those of the inputs. Throws Error(configuration) if fields with
// different decompositions are combined in an expression.
Blocks find_blocks(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs);

}  // namespace tailrace::analytics::planning
