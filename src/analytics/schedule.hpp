// The plan: where each node of a graph is computed, in which order, and what travels between servers for it.
// A pure function of the graph and of what is due, so that all servers have the same one without a word.
//
// The work of a step goes through phases. In a phase every server computes its clients' blocks as far as it
// can, sends partial results of reductions (or whole blocks, for kernels that need them whole) to their
// roots, and the roots send to all servers what blocks of later phases need.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/program.hpp"

namespace tailrace::analytics {

enum class Place {
  known,   // constants, coordinates: every server has it
  local,   // a block a client
  global,  // one whole array, at its root
};

// Of an input: local, known, or (global) with the component's first rank.
struct Placement {
  std::vector<Place> place;  // by node, as are the others
  std::vector<int> phase;
  std::vector<int> root;  // of global nodes; others -1
  // Local nodes with the same number are cut over the ranks in the same way; empty: all are.
  std::vector<int> cut;
};

// `home`: the server of the component's first rank, the root of all that is computed from global inputs.
Placement make_placement(const Graph& graph, const std::vector<Place>& inputs, int servers, int home);

// Where the block of a local node lies, from where those of the inputs do (by input; null where not local).
// Throws Error(configuration) where fields that meet in an expression are cut differently.
model::Region region_of(const Graph& graph, const Placement& placement, int node,
                        const std::vector<const model::Region*>& inputs);

struct ProgramPlan {
  std::vector<int> sources, stores, sinks;
  bool own_cells = false;  // the sinks' results stay with the block: nothing split is consumed
  Dims space;
  std::vector<std::vector<int>> needs;  // sources of each store, then of each sink
  std::shared_ptr<const Program> program;
};

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
  std::vector<int> diagnostics;  // that are due
  std::vector<char> inputs;      // needed, by input
  std::vector<PhasePlan> phases;
};

// `due`: by diagnostic.
Schedule make_schedule(const Graph& graph, const Placement& placement, const std::vector<char>& due,
                       std::size_t inputs);

}  // namespace tailrace::analytics
