// The plan of a step: which programs and operators run in which phase (placement.hpp), and what travels
// between servers for it. A pure function of the graph and of what is due, so that all servers have the same
// one without a word.
#pragma once

#include <memory>
#include <vector>

#include "analytics/planning/bundle.hpp"
#include "analytics/program.hpp"

namespace tailrace::analytics::planning {

struct ProgramPlan : ProgramNodes {
  bool own_cells = false;               // the sinks' results stay with the block: nothing split is consumed
  std::vector<std::vector<int>> needs;  // sources of each store, then of each sink
  std::shared_ptr<const Program> program;

  // The node that needs[i] are the sources of.
  int gives(std::size_t i) const { return i < stores.size() ? stores[i] : sinks[i - stores.size()]; }
};

// Only what gives one of the nodes: for a step at which something the others read is missing.
ProgramPlan part(const Graph& graph, const ProgramPlan& whole, std::size_t i);

struct Stage {
  std::vector<ProgramPlan> programs;
  std::vector<int> ops;  // kernels, and reductions that are not fused
};

struct RootPlan {
  int root = 0;
  std::vector<int> reductions;  // whose partial results go there
  std::vector<int> gathered;    // local nodes whose blocks go there
  std::vector<Stage> stages;    // of global nodes, computed there
  std::vector<int> broadcast;   // global nodes that blocks of later phases need
};

struct PhasePlan {
  Stage blocks;
  std::vector<RootPlan> roots;  // those that have something to do
};

struct Schedule {
  std::vector<PhasePlan> phases;
};

Schedule make_schedule(const Bundled& bundled);

}  // namespace tailrace::analytics::planning
