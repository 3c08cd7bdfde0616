// The schedule of a step: which programs and operators run in which phase (placement.hpp), and which values
// are sent between servers. A pure function of the graph and the due diagnostics, so that all servers have
// the same schedule without communication.
#pragma once

#include <memory>
#include <vector>

#include "analytics/planning/bundle.hpp"
#include "analytics/program.hpp"

namespace tailrace::analytics::planning {

struct ProgramPlan : ProgramNodes {
  bool own_cells = false;               // the sinks' results stay local: no split dimension is consumed
  std::vector<std::vector<int>> needs;  // sources of each store, then of each sink
  std::shared_ptr<const Program> program;

  // The node with the sources needs[i].
  int gives(std::size_t i) const { return i < stores.size() ? stores[i] : sinks[i - stores.size()]; }
};

// The part of a program for one of its results, for a step at which an input of the others is missing.
ProgramPlan part(const Graph& graph, const ProgramPlan& whole, std::size_t i);

struct Stage {
  std::vector<ProgramPlan> programs;
  std::vector<int> ops;  // kernels, and reductions that are not fused
};

struct RootPlan {
  int root = 0;
  std::vector<int> reductions;  // whose partial results are sent there
  std::vector<int> gathered;    // local nodes whose blocks are sent there
  std::vector<Stage> stages;    // global nodes computed there
  std::vector<int> broadcast;   // global nodes that blocks of later phases need
};

struct PhasePlan {
  Stage blocks;
  std::vector<RootPlan> roots;  // those with work in this phase
};

struct Schedule {
  std::vector<PhasePlan> phases;
};

Schedule make_schedule(const Bundled& bundled);

}  // namespace tailrace::analytics::planning
