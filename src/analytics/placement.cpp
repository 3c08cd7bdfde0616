#include "analytics/placement.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"

namespace tailrace::analytics {
namespace {

std::vector<std::string> consumed(const Node& node) {
  if (!node.call.dims.empty()) return node.call.dims;
  std::vector<std::string> all;
  for (const Dim& dim : node.call.arguments.front().dims) all.push_back(dim.name);
  return all;
}

// Whether a reduction or kernel of local arguments needs more than a block.
bool leaves_block(const Graph& graph, const Node& node, const std::vector<Place>& place) {
  const auto dims = node.kind == NodeKind::reduction
                        ? consumed(node)
                        : static_cast<const Kernel*>(node.op)->needs_whole(node.call);
  for (const int arg : node.args) {
    if (place[base::index(arg)] != Place::local) continue;
    const Shape& shape = graph.nodes[base::index(arg)].shape;
    for (const std::string& dim : dims) {
      const auto found = shape.find(dim);
      if (found && shape.dims[*found].split) return true;
    }
  }
  return false;
}

Place place_of(const Graph& graph, const Node& node, const std::vector<Place>& inputs,
               const std::vector<Place>& place) {
  if (node.kind == NodeKind::input) return inputs[base::index(node.input)];
  if (node.kind == NodeKind::constant) return Place::known;
  const auto any = [&](Place which) {
    return std::any_of(node.args.begin(), node.args.end(),
                       [&](int arg) { return place[base::index(arg)] == which; });
  };
  if (any(Place::local))
    return is_op(node) && leaves_block(graph, node, place) ? Place::global : Place::local;
  if (any(Place::global) || is_op(node)) return Place::global;
  return Place::known;
}

int phase_of(const Graph& graph, const Node& node, const Placement& so_far, Place here) {
  const bool on_blocks =
      here == Place::local || (node.kind == NodeKind::reduction && takes_blocks(node, so_far.place));
  int phase = 0;
  for (const int arg : node.args) {
    const Node& from = graph.nodes[base::index(arg)];
    const bool to_blocks = on_blocks && so_far.place[base::index(arg)] == Place::global;
    const bool behind_op = so_far.place[base::index(arg)] == Place::local && is_op(from);
    phase = std::max(phase, so_far.phase[base::index(arg)] + (to_blocks || behind_op ? 1 : 0));
  }
  return phase;
}

// Global nodes that use each other are computed at one root; such groups are assigned to the roots in turn.
void choose_roots(const Graph& graph, Placement& placement, int servers, int home) {
  const std::size_t nodes = graph.nodes.size();
  std::vector<std::size_t> group(nodes);
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto find = [&](std::size_t node) {
    while (group[node] != node) node = group[node] = group[group[node]];
    return node;
  };
  for (std::size_t n = 0; n < nodes; ++n) {
    if (placement.place[n] != Place::global) continue;
    for (const int arg : graph.nodes[n].args)
      if (placement.place[base::index(arg)] == Place::global)
        group[std::max(find(n), find(base::index(arg)))] = std::min(find(n), find(base::index(arg)));
  }
  std::vector<int> root_of(nodes, -1);
  for (std::size_t n = 0; n < nodes; ++n)
    if (placement.place[n] == Place::global && graph.nodes[n].kind == NodeKind::input)
      root_of[find(n)] = home;
  int turn = 0;
  placement.root.assign(nodes, -1);
  for (std::size_t n = 0; n < nodes; ++n) {
    if (placement.place[n] != Place::global) continue;
    int& root = root_of[find(n)];
    if (root < 0) root = turn++ % servers;
    placement.root[n] = root;
  }
}

}  // namespace

bool is_op(const Node& node) { return node.kind == NodeKind::kernel || node.kind == NodeKind::reduction; }

bool takes_blocks(const Node& node, const std::vector<Place>& place) {
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](int arg) { return place[base::index(arg)] == Place::local; });
}

Placement make_placement(const Graph& graph, const std::vector<Place>& inputs, int servers, int home) {
  Placement placement;
  for (const Node& node : graph.nodes) {
    const Place place = place_of(graph, node, inputs, placement.place);
    placement.phase.push_back(phase_of(graph, node, placement, place));
    placement.place.push_back(place);
  }
  choose_roots(graph, placement, servers, home);
  return placement;
}

}  // namespace tailrace::analytics
