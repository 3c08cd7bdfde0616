#include "analytics/engine/work/known.hpp"

#include <algorithm>

#include "analytics/engine/work/regions.hpp"
#include "analytics/program.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::engine::work {
namespace {

void compute(const Graph& graph, int number, std::vector<Value>& known) {
  const Node& node = graph.nodes[base::index(number)];
  std::vector<int> sources;
  std::vector<Operand> operands;
  for (const int arg : node.args) {
    if (graph.nodes[base::index(arg)].kind == NodeKind::constant ||
        std::find(sources.begin(), sources.end(), arg) != sources.end())
      continue;
    sources.push_back(arg);
    operands.push_back({known[base::index(arg)].bytes, known[base::index(arg)].type});
  }
  const Program program(graph,
                        {.space = node.shape.dims, .sources = sources, .stores = {number}, .sinks = {}});
  const std::span<double> stores[] = {
      known[base::index(number)].make(static_cast<std::size_t>(node.shape.size()))};
  program.run(whole_region(node.shape), operands, stores, {});
}

}  // namespace

std::vector<Value> known_values(const planning::Layout& layout, const std::vector<EngineInput>& inputs) {
  const Graph& graph = layout.graph;
  std::vector<Value> known(graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (layout.placement.place[n] != Place::known) continue;
    const auto size = static_cast<std::size_t>(node.shape.size());
    if (node.kind == NodeKind::constant)
      known[n].make(size)[0] = node.constant;
    else if (node.kind == NodeKind::input)
      std::copy_n(inputs[base::index(node.input)].values.begin(), size, known[n].make(size).begin());
    else
      compute(graph, static_cast<int>(n), known);
  }
  return known;
}

}  // namespace tailrace::analytics::engine::work
