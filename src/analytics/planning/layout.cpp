#include "analytics/planning/layout.hpp"

#include <algorithm>
#include <utility>

#include "analytics/planning/blocks.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::planning {
namespace {

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
      places_of_clients(clients.empty() ? 0 : base::index(clients.back()) + 1, -1) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (!memories_of(node).empty()) in_order = true;
    if (node.kind == NodeKind::input) nodes_of_inputs[base::index(node.input)] = static_cast<int>(n);
  }
  for (const EngineInput& input : inputs) fills.push_back(input.fill);
  for (std::size_t c = 0; c < clients.size(); ++c)
    places_of_clients[base::index(clients[c])] = static_cast<int>(c);
  cut_blocks(inputs);
}

void Layout::cut_blocks(const std::vector<EngineInput>& inputs) {
  Blocks blocks = find_blocks(graph, placement, inputs);
  std::vector<std::int64_t> largest;  // block, by decomposition
  for (const model::Regions& cut : blocks.cuts) {
    std::int64_t& most = largest.emplace_back(0);
    for (const model::Region& block : cut.distinct()) most = std::max(most, block.size());
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (blocks.cut[n] >= 0) cells[n] = largest[base::index(blocks.cut[n])];
  regions = std::move(blocks.cuts);
  placement.cut = std::move(blocks.cut);
}

}  // namespace tailrace::analytics::planning
