// What is the same at every step: which server computes what, who holds which block, and where blocks lie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/placement.hpp"
#include "model/regions.hpp"

namespace tailrace::analytics::planning {

struct Server {
  int rank = 0;   // this one
  int count = 1;  // of all
  int home = 0;   // the server of the component's first rank
};

// Constant once it is made: any thread reads it without a lock. Everything but `clients` and `server.rank` is
// the same on all servers, which is what spares them a word about who computes what.
struct Layout {
  // `of_graph` must live longer. `own_clients`: of this server, as numbered in the component, ascending.
  Layout(const Graph& of_graph, const std::vector<EngineInput>& inputs, std::vector<int> own_clients,
         Server this_server);

  const Graph& graph;
  std::vector<int> clients;
  Server server;
  Placement placement;                       // with its cuts
  std::vector<model::Regions> regions;       // by cut: of all clients of the component
  std::vector<std::int64_t> cells;           // by node: of its largest block on any rank
  std::vector<int> nodes_of_inputs;          // -1: no diagnostic uses it
  std::vector<std::optional<double>> fills;  // by input: what stands for a missing value
  std::vector<int> places_of_clients;        // in `clients`; -1: another server's
  bool in_order = false;                     // some kernel remembers: one step after the other

 private:
  void cut_blocks(const std::vector<EngineInput>& inputs);
};

}  // namespace tailrace::analytics::planning
