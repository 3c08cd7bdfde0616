#include "analytics/engine_layout.hpp"

#include <algorithm>

#include "analytics/engine_regions.hpp"
#include "analytics/program.hpp"

namespace tailrace::analytics {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

Engine::Layout::Layout(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs)
    : known(graph.nodes.size()), cuts(graph.nodes.size(), -1), cells(graph.nodes.size(), 0) {
  compute_known(graph, placement, inputs);
  cut_blocks(graph, placement, inputs);
}

void Engine::Layout::compute_known(const Graph& graph, const Placement& placement,
                                   const std::vector<EngineInput>& inputs) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (placement.place[n] != Place::known) continue;
    const auto doubles = known[n].make(static_cast<std::size_t>(node.shape.size()));
    if (node.kind == NodeKind::constant) {
      doubles[0] = node.constant;
    } else if (node.kind == NodeKind::input) {
      std::copy_n(inputs[at(node.input)].values.begin(), doubles.size(), doubles.begin());
    } else {
      std::vector<int> sources;
      std::vector<Operand> operands;
      for (const int arg : node.args) {
        if (graph.nodes[at(arg)].kind == NodeKind::constant ||
            std::find(sources.begin(), sources.end(), arg) != sources.end())
          continue;
        sources.push_back(arg);
        operands.push_back({known[at(arg)].bytes, known[at(arg)].type});
      }
      const Program program(graph, node.shape.dims, sources, {static_cast<int>(n)}, {});
      const std::span<double> stores[] = {doubles};
      program.run(whole_region(node.shape), operands, stores, {});
    }
  }
}

void Engine::Layout::cut_blocks(const Graph& graph, const Placement& placement,
                                const std::vector<EngineInput>& inputs) {
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
}

}  // namespace tailrace::analytics
