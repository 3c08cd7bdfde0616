// Where each node of a graph is computed, and when: from dimensions alone, so that all servers agree without
// communication.
//
// The work of a step goes through phases. In a phase every server computes its clients' blocks as far as it
// can, sends partial results of reductions (or whole blocks, for kernels that need them whole) to their
// roots, and the roots send to all servers what blocks of later phases need.
#pragma once

#include <optional>
#include <vector>

#include "analytics/graph.hpp"
#include "model/regions.hpp"

namespace tailrace::analytics {

enum class Place {
  known,   // constants, coordinates: every server has it
  local,   // a block a client
  global,  // one whole array, at its root
};

// An input of the engine: a field, or an array that every server knows.
struct EngineInput {
  Place place = Place::local;       // global: with the component's first rank
  model::Regions regions;           // local: by client of the component
  std::vector<double> values;       // known: the whole
  std::optional<double> fill = {};  // local or global: stands for a missing value, which becomes NaN
  bool fixed = false;               // local or global: it comes once, before the end of the first step
};

struct Placement {
  std::vector<Place> place;  // by node, as are the others
  std::vector<int> phase;
  std::vector<int> root;  // of global nodes; others -1
  // Local nodes with the same number are cut over the ranks in the same way; empty: all are.
  std::vector<int> cut;
};

// A node that consumes dimensions or needs them whole. All other nodes work cell by cell.
bool is_op(const Node& node);
// Whether an argument of the node comes in blocks.
bool takes_blocks(const Node& node, const std::vector<Place>& place);

// `home`: the server of the component's first rank, the root of everything computed from global inputs.
Placement make_placement(const Graph& graph, const std::vector<Place>& inputs, int servers, int home);

}  // namespace tailrace::analytics
