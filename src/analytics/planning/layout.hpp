// The static part of all plans: which server computes which node, and which client holds which block.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/placement.hpp"
#include "model/regions.hpp"

namespace tailrace::analytics::planning {

struct Server {
  int rank = 0;   // of this server
  int count = 1;  // number of servers
  int home = 0;   // the server of the component's first rank
};

// Immutable, so that any thread may read it without a lock. Everything except `clients` and `server.rank` is
// the same on all servers, so that they need not communicate about who computes what.
struct Layout {
  // `of_graph` must outlive this object. `own_clients`: the clients of this server, by their number in the
  // component, ascending.
  Layout(const Graph& of_graph, const std::vector<EngineInput>& inputs, std::vector<int> own_clients,
         Server this_server);

  const Graph& graph;
  std::vector<int> clients;
  Server server;
  Placement placement;                       // including decompositions
  std::vector<model::Regions> regions;       // by decomposition: of all clients of the component
  std::vector<std::int64_t> cells;           // by node: size of its largest block on any rank
  std::vector<int> nodes_of_inputs;          // by input; -1: no diagnostic uses it
  std::vector<std::optional<double>> fills;  // by input: the value that means missing
  std::vector<int> places_of_clients;        // index into `clients`; -1: a client of another server
  bool in_order = false;                     // a kernel has a state: steps run one after the other

 private:
  void cut_blocks(const std::vector<EngineInput>& inputs);
};

}  // namespace tailrace::analytics::planning
