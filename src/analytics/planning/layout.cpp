#include "analytics/planning/layout.hpp"

#include <algorithm>
#include <utility>

namespace tailrace::analytics::planning {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::vector<Place> places_of(const std::vector<EngineInput>& inputs) {
  std::vector<Place> places;
  for (const EngineInput& input : inputs) places.push_back(input.place);
  return places;
}

}  // namespace

Layout::Layout(const Graph& of_graph, const std::vector<EngineInput>& inputs, std::vector<int> own_clients,
               Server this_server)
    : graph(of_graph),
      clients(std::move(own_clients)),
      server(this_server),
      placement(make_placement(graph, places_of(inputs), server.count, server.home)),
      cells(graph.nodes.size(), 0),
      nodes_of_inputs(inputs.size(), -1),
      places_of_clients(clients.empty() ? 0 : at(clients.back()) + 1, -1) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (node.kind == NodeKind::kernel && static_cast<const Kernel*>(node.op)->remembers()) in_order = true;
    if (node.kind == NodeKind::input) nodes_of_inputs[at(node.input)] = static_cast<int>(n);
  }
  for (std::size_t c = 0; c < clients.size(); ++c) places_of_clients[at(clients[c])] = static_cast<int>(c);
  cut_blocks(inputs);
}

void Layout::cut_blocks(const std::vector<EngineInput>& inputs) {
  std::vector<int> cuts(graph.nodes.size(), -1);
  std::size_t ranks = 0;
  for (const EngineInput& input : inputs) ranks = std::max(ranks, input.regions.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (placement.place[n] != Place::local) continue;
    std::vector<model::Region> blocks;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::vector<const model::Region*> of_inputs;
      for (const EngineInput& input : inputs)
        of_inputs.push_back(input.regions.empty() ? nullptr : &input.regions[rank]);
      blocks.push_back(region_of(graph, placement, static_cast<int>(n), of_inputs));
      cells[n] = std::max(cells[n], blocks.back().size());
    }
    const auto same = std::find(regions.begin(), regions.end(), blocks);
    cuts[n] = static_cast<int>(same - regions.begin());
    if (same == regions.end()) regions.push_back(std::move(blocks));
  }
  placement.cut = std::move(cuts);
}

}  // namespace tailrace::analytics::planning
