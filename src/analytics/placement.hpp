// Where and when each node of a graph is computed. This follows from dimensions alone, so that all servers
// agree without communication.
//
// The work of a step is divided into phases. In a phase every server computes its clients' blocks as far as
// possible and sends partial results of reductions (or whole blocks, for kernels that need them) to their
// roots. The roots then broadcast the values that blocks of later phases need. Without phases a value such as
// w - mean(w, y, x) could not be computed, since its blocks depend on all other blocks.
#pragma once

#include <optional>
#include <vector>

#include "analytics/graph.hpp"
#include "model/regions.hpp"

namespace tailrace::analytics {

enum class Place {
  known,   // constants and coordinates, which every server has
  local,   // one block for each client
  global,  // one whole array, at its root
};

// The description of an input of the engine: a field, or an array that every server knows.
struct EngineInput {
  Place place = Place::local;       // global: on the component's first rank
  model::Regions regions;           // local: by client of the component
  std::vector<double> values;       // known: the whole array
  std::optional<double> fill = {};  // local or global: this value means missing, and becomes NaN
  bool fixed = false;               // local or global: arrives once, before the end of the first step
};

struct Placement {
  std::vector<Place> place;  // by node, as are the others
  std::vector<int> phase;
  std::vector<int> root;  // of global nodes; others -1
  // Local nodes with the same number have the same decomposition; empty: all have.
  std::vector<int> cut;
};

// Whether a node is a reduction or a kernel, and not elementwise.
bool is_op(const Node& node);
// Whether any argument of a node is local.
bool takes_blocks(const Node& node, const std::vector<Place>& place);

// `home`: the server of the component's first rank, the root of everything that depends on global inputs.
Placement make_placement(const Graph& graph, const std::vector<Place>& inputs, int servers, int home);

}  // namespace tailrace::analytics
