#include "analytics/engine/work/results.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace tailrace::analytics::engine::work {
bool ResultWriter::depends(int node, int on) const {
  if (node == on) return true;
  const auto& args = plan_.layout().graph.nodes[base::index(node)].args;
  return std::any_of(args.begin(), args.end(), [&](int arg) { return arg >= on && depends(arg, on); });
}

void ResultWriter::tell_thrown() {
  const Graph& graph = plan_.layout().graph;
  for (const auto& [op, why] : values_.thrown())
    for (const int diagnostic : plan_.diagnostics())
      for (const int member : plan_.members(op))
        if (depends(graph.diagnostics[base::index(diagnostic)].node, member))
          failures_.push_back({.diagnostic = diagnostic, .tick = values_.tick, .what = why, .thrown = true});
}

void ResultWriter::give(int diagnostic, int client, const Value& value,
                        planning::Bundled::Position position) {
  const Absence* const absence = find(value.absences, position.member);
  if (absence != nullptr || !value.present) {
    const bool told = absence != nullptr && !absence->why.empty();
    results_.missing_results.push_back({.diagnostic = diagnostic, .client = client});
    failures_.push_back({.diagnostic = diagnostic,
                         .tick = values_.tick,
                         .what = told ? absence->why : "it has no value",
                         .thrown = false});
    return;
  }
  const std::size_t count = value.size() / plan_.members(position.node).size();
  results_.results.push_back(
      {.diagnostic = diagnostic, .client = client, .first = results_.values.size(), .count = count});
  value.append_to(results_.values, base::index(position.member) * count, count);
}

StepResults ResultWriter::write() {
  results_.tick = values_.tick;
  tell_thrown();
  const planning::Layout& layout = plan_.layout();
  results_.results.reserve(plan_.diagnostics().size());
  for (const int diagnostic : plan_.diagnostics()) {
    const planning::Bundled::Position position =
        plan_.bundled().positions[base::index(layout.graph.diagnostics[base::index(diagnostic)].node)];
    const Place place = plan_.place(position.node);
    if (place == Place::local) {
      for (std::size_t c = 0; c < layout.clients.size(); ++c)
        give(diagnostic, layout.clients[c], values_.of_client(c, position.node), position);
      continue;
    }
    const int root = place == Place::known ? layout.server.home
                                           : plan_.bundled().placement.root[base::index(position.node)];
    if (root == layout.server.rank)
      give(diagnostic, -1, values_.value(position.node, StepValues::at_root), position);
  }
  return std::move(results_);
}

}  // namespace tailrace::analytics::engine::work
