#include "analytics/planning/plan.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"

namespace tailrace::analytics::planning {
namespace {

// Below this size, passing work to a worker costs more than it saves.
constexpr std::int64_t worth_a_worker = 1 << 16;  // cells
constexpr std::int64_t light_cells = 1 << 15;
constexpr std::size_t most_workers = 8;

model::Region side_by_side(const model::Region& block, std::size_t members) {
  std::vector<model::Runs> runs{{{0, static_cast<std::int64_t>(members)}}};
  for (std::size_t d = 0; d < block.rank(); ++d) runs.push_back(block.runs(d));
  return model::Region(std::move(runs));
}

}  // namespace

Plan::Plan(const Layout& layout, const std::vector<char>& due)
    : layout_(layout),
      bundled_(bundle(layout.graph, layout.placement, layout.cells, due)),
      schedule_(make_schedule(bundled_)) {
  for (std::size_t d = 0; d < due.size(); ++d)
    if (due[d]) diagnostics_.push_back(static_cast<int>(d));
  for (const int node : layout.nodes_of_inputs)
    positions_.push_back(node < 0 ? Bundled::Position{} : bundled_.positions[base::index(node)]);
  for (const auto& fill : layout.fills) may_lack_.push_back(fill ? 1 : 0);
  lay_out();
  for (const PhasePlan& phase : schedule_.phases) {
    workers_.push_back(worth(phase.blocks));
    light_.push_back(is_light(phase));
  }
}

void Plan::lay_out() {
  regions_.assign(nodes(), nullptr);
  for (std::size_t n = 0; n < regions_.size(); ++n) {
    if (bundled_.placement.place[n] != Place::local) continue;
    const int cut = bundled_.placement.cut[n];
    const std::size_t members = bundled_.members[n].size();
    const auto [list, fresh] = lists_.try_emplace({cut, members});
    if (fresh)
      for (const int client : layout_.clients) {
        const model::Region& block = layout_.regions[base::index(cut)][base::index(client)];
        list->second.push_back(members > 1 ? side_by_side(block, members) : block);
      }
    regions_[n] = &list->second;
  }
}

std::int64_t Plan::cells(const Stage& stage) const {
  std::int64_t cells = 0;
  const auto count = [&](int node) {
    if (place(node) != Place::local) return;
    for (std::size_t c = 0; c < layout_.clients.size(); ++c) cells += region(node, c).size();
  };
  for (const ProgramPlan& program : stage.programs)
    count(program.stores.empty() ? node(program.sinks.front()).args.front() : program.stores.front());
  for (const int op : stage.ops)
    for (const int arg : node(op).args) count(arg);
  return cells;
}

bool Plan::is_light(const PhasePlan& phase) const {
  std::int64_t all = cells(phase.blocks);
  bool known = phase.blocks.ops.empty();
  for (const RootPlan& root : phase.roots) {
    for (const Stage& stage : root.stages) {
      known = known && stage.ops.empty();
      for (const ProgramPlan& program : stage.programs)
        for (const int store : program.stores) all += node(store).shape.size();
    }
  }
  return known && all <= light_cells;
}

std::size_t Plan::worth(const Stage& stage) const {
  return std::clamp<std::size_t>(static_cast<std::size_t>(cells(stage) / worth_a_worker), 1,
                                 std::clamp<std::size_t>(layout_.clients.size(), 1, most_workers));
}

}  // namespace tailrace::analytics::planning
