#include "analytics/planning/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/index.hpp"

namespace tailrace::analytics::planning {
namespace {

// Divides a graph, all of which is needed, into phases, stages and programs. The placement determines the
// phase of a node; this class decides what is computed in one pass (loop fusion). An elementwise node is
// stored as an array only if it is needed as one: by an operator, at another place, in a later phase, or as a
// result. All others are computed within the programs that use them, even more than once, which is cheaper
// than to write an array and read it again.
class Scheduler {
 public:
  explicit Scheduler(const Bundled& bundled)
      : graph_(bundled.graph), placement_(bundled.placement), output_(bundled.wanted) {}

  Schedule make() {
    Schedule schedule;
    find_values();
    int phases = 0;
    for (const int phase : placement_.phase) phases = std::max(phases, phase + 1);
    for (int phase = 0; phase < phases; ++phase) schedule.phases.push_back(make_phase(phase));
    return schedule;
  }

 private:
  // Finds the elementwise nodes that must be stored as arrays.
  void find_values() {
    value_.assign(graph_.nodes.size(), 0);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (output_[n]) value_[n] = 1;
      for (const int arg : node.args) {
        const bool fused = fusible(node) && placement_.place[base::index(arg)] == Place::local;
        const bool other_place = placement_.place[n] != placement_.place[base::index(arg)] &&
                                 placement_.place[base::index(arg)] != Place::known && !fused;
        const bool later = placement_.phase[n] != placement_.phase[base::index(arg)];
        if ((is_op(node) && !fused) || other_place ||
            (later && placement_.place[base::index(arg)] != Place::known))
          value_[base::index(arg)] = 1;
      }
    }
  }

  static bool fusible(const Node& node) {
    return node.kind == NodeKind::reduction && static_cast<const Reduction*>(node.op)->fusible();
  }
  bool is(std::size_t node, Place place) const { return placement_.place[node] == place; }
  bool elementwise(int node) const { return graph_.nodes[base::index(node)].kind == NodeKind::elementwise; }

  // Whether a node is an input of programs because they cannot compute it.
  bool given(int node, Place where) const {
    const Node& found = graph_.nodes[base::index(node)];
    if (found.kind == NodeKind::constant) return false;
    return found.kind != NodeKind::elementwise || placement_.place[base::index(node)] != where;
  }

  // The inputs of programs of one place and phase, for each of their results. Results that use others reuse
  // their inputs, so that a long chain is traversed once.
  class Needs {
   public:
    Needs(const Scheduler& all, int phase, Place where)
        : all_(all), phase_(phase), where_(where), seen_(all.graph_.nodes.size(), -1) {}

    // Must be called for a node before the nodes that use it.
    std::vector<int> of(int root) {
      std::vector<int> sources, waiting = args(root);
      while (!waiting.empty()) {
        const int node = waiting.back();
        waiting.pop_back();
        if (std::exchange(seen_[base::index(node)], root) == root) continue;
        if (is_given(node)) {
          sources.push_back(node);
        } else if (const auto known = known_.find(node); known != known_.end()) {
          sources.insert(sources.end(), known->second.begin(), known->second.end());
        } else {
          const std::vector<int>& next = args(node);
          waiting.insert(waiting.end(), next.begin(), next.end());
        }
      }
      std::sort(sources.begin(), sources.end());
      sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
      return known_[root] = std::move(sources);
    }

   private:
    const std::vector<int>& args(int node) const { return all_.graph_.nodes[base::index(node)].args; }
    bool is_given(int node) const {
      const bool earlier = all_.is(base::index(node), where_) && all_.value_[base::index(node)] &&
                           all_.placement_.phase[base::index(node)] < phase_;
      return all_.given(node, where_) || (all_.elementwise(node) && earlier);
    }

    const Scheduler& all_;
    int phase_;
    Place where_;
    std::vector<int> seen_;                  // by node: the last root for which it was visited
    std::map<int, std::vector<int>> known_;  // by root
  };

  // Makes programs for these nodes, one for each set of dims. `stores` are elementwise, `sinks` fusible
  // reductions.
  std::vector<ProgramPlan> make_programs(const std::vector<int>& stores, const std::vector<int>& sinks,
                                         int phase, Place where) const {
    std::map<std::pair<std::vector<std::string>, bool>, ProgramPlan> plans;
    const auto plan_for = [&](int of, bool own) -> ProgramPlan& {
      const Shape& shape = graph_.nodes[base::index(of)].shape;
      std::vector<std::string> key;
      if (!placement_.cut.empty()) key.push_back(fmt::format("{}", placement_.cut[base::index(of)]));
      for (const Dim& dim : shape.dims) key.push_back(dim.name + fmt::format("/{}", dim.extent));
      ProgramPlan& plan = plans[{key, own}];
      plan.space = shape.dims;
      plan.own_cells = own;
      return plan;
    };
    for (const int node : stores) plan_for(node, false).stores.push_back(node);
    for (const int node : sinks) {
      const bool own = is(base::index(node), Place::local);
      plan_for(graph_.nodes[base::index(node)].args.front(), own).sinks.push_back(node);
    }
    std::vector<ProgramPlan> made;
    Needs needs(*this, phase, where);
    for (auto& [key, plan] : plans) {
      std::set<int> all;
      const auto look_at = [&](int node) {
        const std::vector<int>& sources = plan.needs.emplace_back(needs.of(node));
        all.insert(sources.begin(), sources.end());
      };
      for (const int node : plan.stores) look_at(node);
      for (const int node : plan.sinks) look_at(node);
      plan.sources.assign(all.begin(), all.end());
      plan.program = std::make_shared<Program>(graph_, plan);
      made.push_back(std::move(plan));
    }
    return made;
  }

  PhasePlan make_phase(int phase) const {
    PhasePlan plan;
    std::vector<int> stores, sinks;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (placement_.phase[n] != phase) continue;
      const int node = static_cast<int>(n);
      const bool of_blocks = is(n, Place::local) && graph_.nodes[n].kind != NodeKind::input;
      const bool from_blocks = is_op(graph_.nodes[n]) && takes_blocks(graph_.nodes[n], placement_.place);
      if (fusible(graph_.nodes[n]) && from_blocks)
        sinks.push_back(node);
      else if (is_op(graph_.nodes[n]) && (of_blocks || (from_blocks && reduces(n))))
        plan.blocks.ops.push_back(node);
      else if (of_blocks && value_[n])
        stores.push_back(node);
    }
    plan.blocks.programs = make_programs(stores, sinks, phase, Place::local);
    plan.roots = make_roots(phase);
    return plan;
  }

  bool reduces(std::size_t n) const { return graph_.nodes[n].kind == NodeKind::reduction; }

  std::vector<RootPlan> make_roots(int phase) const {
    std::map<int, RootPlan> roots;
    std::map<int, std::map<int, std::pair<std::vector<int>, std::vector<int>>>> stages;  // root, stage
    std::vector<int> stage(graph_.nodes.size(), 0);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (placement_.phase[n] != phase || !is(n, Place::global)) continue;
      const Node& node = graph_.nodes[n];
      const int root = placement_.root[n];
      RootPlan& plan = roots[root];
      plan.root = root;
      if (reduces(n) && takes_blocks(node, placement_.place)) {
        plan.reductions.push_back(static_cast<int>(n));
        continue;
      }
      if (is_op(node))
        for (const int arg : node.args)
          if (is(base::index(arg), Place::local)) add_once(plan.gathered, arg);
      for (const int arg : node.args)
        if (placement_.phase[base::index(arg)] == phase && is(base::index(arg), Place::global))
          stage[n] = std::max(stage[n], stage[base::index(arg)] + (computed_op(arg) ? 1 : 0));
      auto& [stores, ops] = stages[root][stage[n]];
      if (is_op(node))
        ops.push_back(static_cast<int>(n));
      else if (node.kind == NodeKind::elementwise && value_[n])
        stores.push_back(static_cast<int>(n));
    }
    add_broadcasts(phase, roots);
    std::vector<RootPlan> made;
    for (auto& [root, plan] : roots) {
      for (auto& [number, work] : stages[root])
        plan.stages.push_back({make_programs(work.first, {}, phase, Place::global), work.second});
      made.push_back(std::move(plan));
    }
    return made;
  }

  bool computed_op(int node) const {
    const Node& found = graph_.nodes[base::index(node)];
    return is_op(found) && !(found.kind == NodeKind::reduction && takes_blocks(found, placement_.place));
  }

  void add_broadcasts(int phase, std::map<int, RootPlan>& roots) const {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (!(is(n, Place::local) || (reduces(n) && takes_blocks(node, placement_.place)))) continue;
      for (const int arg : node.args) {
        if (!is(base::index(arg), Place::global) || placement_.phase[base::index(arg)] != phase) continue;
        RootPlan& plan = roots[placement_.root[base::index(arg)]];
        plan.root = placement_.root[base::index(arg)];
        add_once(plan.broadcast, arg);
      }
    }
  }

  static void add_once(std::vector<int>& list, int node) {
    if (std::find(list.begin(), list.end(), node) == list.end()) list.push_back(node);
  }

  const Graph& graph_;
  const Placement& placement_;
  const std::vector<char>& output_;
  std::vector<char> value_;
};

}  // namespace

ProgramPlan part(const Graph& graph, const ProgramPlan& whole, std::size_t i) {
  ProgramPlan part;
  part.space = whole.space;
  part.sources = whole.needs[i];
  (i < whole.stores.size() ? part.stores : part.sinks) = {whole.gives(i)};
  part.own_cells = whole.own_cells;
  part.needs = {whole.needs[i]};
  part.program = std::make_shared<Program>(graph, part);
  return part;
}

Schedule make_schedule(const Bundled& bundled) { return Scheduler(bundled).make(); }

}  // namespace tailrace::analytics::planning
