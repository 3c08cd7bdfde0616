#include "analytics/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/error.hpp"

namespace tailrace::analytics {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool is_op(const Node& node) { return node.kind == NodeKind::kernel || node.kind == NodeKind::reduction; }

std::vector<std::string> consumed(const Node& node) {
  if (!node.call.dims.empty()) return node.call.dims;
  std::vector<std::string> all;
  for (const Dim& dim : node.call.arguments.front().dims) all.push_back(dim.name);
  return all;
}

bool takes_blocks(const Node& node, const std::vector<Place>& place) {
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](int arg) { return place[at(arg)] == Place::local; });
}

// Whether a reduction or kernel of local arguments needs more than a block.
bool leaves_block(const Graph& graph, const Node& node, const std::vector<Place>& place) {
  const auto dims = node.kind == NodeKind::reduction
                        ? consumed(node)
                        : static_cast<const Kernel*>(node.op)->needs_whole(node.call);
  if (node.kind == NodeKind::kernel && static_cast<const Kernel*>(node.op)->remembers()) return true;
  for (const int arg : node.args) {
    if (place[at(arg)] != Place::local) continue;
    const Shape& shape = graph.nodes[at(arg)].shape;
    for (const std::string& dim : dims) {
      const auto found = shape.find(dim);
      if (found && shape.dims[*found].split) return true;
    }
  }
  return false;
}

Place place_of(const Graph& graph, const Node& node, const std::vector<Place>& inputs,
               const std::vector<Place>& place) {
  if (node.kind == NodeKind::input) return inputs[at(node.input)];
  if (node.kind == NodeKind::constant) return Place::known;
  const auto any = [&](Place which) {
    return std::any_of(node.args.begin(), node.args.end(), [&](int arg) { return place[at(arg)] == which; });
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
    const Node& from = graph.nodes[at(arg)];
    const bool to_blocks = on_blocks && so_far.place[at(arg)] == Place::global;
    const bool behind_op = so_far.place[at(arg)] == Place::local && is_op(from);
    phase = std::max(phase, so_far.phase[at(arg)] + (to_blocks || behind_op ? 1 : 0));
  }
  return phase;
}

// Global nodes that use each other are computed at one root; such groups take turns.
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
      if (placement.place[at(arg)] == Place::global)
        group[std::max(find(n), find(at(arg)))] = std::min(find(n), find(at(arg)));
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

// Picks what of the graph a step needs, and sorts it into phases, stages and programs.
class Scheduler {
 public:
  Scheduler(const Graph& graph, const Placement& placement) : graph_(graph), placement_(placement) {}

  Schedule make(const std::vector<char>& due, std::size_t inputs) {
    Schedule schedule;
    schedule.inputs.assign(inputs, 0);
    mark(due, schedule);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (needed_[n] && graph_.nodes[n].kind == NodeKind::input)
        schedule.inputs[at(graph_.nodes[n].input)] = 1;
    find_values();
    int phases = 0;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (needed_[n]) phases = std::max(phases, placement_.phase[n] + 1);
    for (int phase = 0; phase < phases; ++phase) schedule.phases.push_back(make_phase(phase));
    return schedule;
  }

 private:
  void mark(const std::vector<char>& due, Schedule& schedule) {
    needed_.assign(graph_.nodes.size(), 0);
    output_.assign(graph_.nodes.size(), 0);
    for (std::size_t d = 0; d < due.size(); ++d) {
      if (!due[d]) continue;
      schedule.diagnostics.push_back(static_cast<int>(d));
      needed_[at(graph_.diagnostics[d].node)] = output_[at(graph_.diagnostics[d].node)] = 1;
    }
    for (std::size_t n = graph_.nodes.size(); n-- > 0;)
      if (needed_[n])
        for (const int arg : graph_.nodes[n].args) needed_[at(arg)] = 1;
  }

  // Elementwise nodes whose numbers must be there as an array: all others live inside programs.
  void find_values() {
    value_.assign(graph_.nodes.size(), 0);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!needed_[n]) continue;
      const Node& node = graph_.nodes[n];
      if (output_[n]) value_[n] = 1;
      for (const int arg : node.args) {
        const bool fused = fusible(node) && placement_.place[at(arg)] == Place::local;
        const bool other_place = placement_.place[n] != placement_.place[at(arg)] &&
                                 placement_.place[at(arg)] != Place::known && !fused;
        const bool later = placement_.phase[n] != placement_.phase[at(arg)];
        if ((is_op(node) && !fused) || other_place || (later && placement_.place[at(arg)] != Place::known))
          value_[at(arg)] = 1;
      }
    }
  }

  static bool fusible(const Node& node) {
    return node.kind == NodeKind::reduction && static_cast<const Reduction*>(node.op)->fusible();
  }
  bool is(std::size_t node, Place place) const { return placement_.place[node] == place; }
  bool elementwise(int node) const { return graph_.nodes[at(node)].kind == NodeKind::elementwise; }

  // What programs cannot look into: it must be given to them.
  bool given(int node, Place where) const {
    const Node& found = graph_.nodes[at(node)];
    if (found.kind == NodeKind::constant) return false;
    return found.kind != NodeKind::elementwise || placement_.place[at(node)] != where;
  }

  void collect_sources(int node, int phase, Place where, std::set<int>& sources, std::set<int>& seen) const {
    if (!seen.insert(node).second) return;
    const bool earlier =
        placement_.place[at(node)] == where && value_[at(node)] && placement_.phase[at(node)] < phase;
    if (given(node, where) || (elementwise(node) && earlier)) {
      sources.insert(node);
      return;
    }
    for (const int arg : graph_.nodes[at(node)].args) collect_sources(arg, phase, where, sources, seen);
  }

  // Programs for these nodes, one for each set of dims: `stores` are elementwise, `sinks` fusible reductions.
  std::vector<ProgramPlan> make_programs(const std::vector<int>& stores, const std::vector<int>& sinks,
                                         int phase, Place where) const {
    std::map<std::pair<std::vector<std::string>, bool>, ProgramPlan> plans;
    const auto plan_for = [&](int of, bool own) -> ProgramPlan& {
      const Shape& shape = graph_.nodes[at(of)].shape;
      std::vector<std::string> key;
      if (!placement_.cut.empty()) key.push_back(fmt::format("{}", placement_.cut[at(of)]));
      for (const Dim& dim : shape.dims) key.push_back(dim.name + fmt::format("/{}", dim.extent));
      ProgramPlan& plan = plans[{key, own}];
      plan.space = shape.dims;
      plan.own_cells = own;
      return plan;
    };
    for (const int node : stores) plan_for(node, false).stores.push_back(node);
    for (const int node : sinks) {
      const bool own = is(at(node), Place::local);
      plan_for(graph_.nodes[at(node)].args.front(), own).sinks.push_back(node);
    }
    std::vector<ProgramPlan> made;
    for (auto& [key, plan] : plans) {
      std::set<int> all;
      const auto look_at = [&](int node) {
        std::set<int> sources, seen;
        for (const int arg : graph_.nodes[at(node)].args) collect_sources(arg, phase, where, sources, seen);
        plan.needs.emplace_back(sources.begin(), sources.end());
        all.insert(sources.begin(), sources.end());
      };
      for (const int node : plan.stores) look_at(node);
      for (const int node : plan.sinks) look_at(node);
      plan.sources.assign(all.begin(), all.end());
      plan.program = std::make_shared<Program>(graph_, plan.space, plan.sources, plan.stores, plan.sinks);
      made.push_back(std::move(plan));
    }
    return made;
  }

  PhasePlan make_phase(int phase) const {
    PhasePlan plan;
    std::vector<int> stores, sinks;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!needed_[n] || placement_.phase[n] != phase) continue;
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
      if (!needed_[n] || placement_.phase[n] != phase || !is(n, Place::global)) continue;
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
          if (is(at(arg), Place::local)) add_once(plan.gathered, arg);
      for (const int arg : node.args)
        if (placement_.phase[at(arg)] == phase && is(at(arg), Place::global))
          stage[n] = std::max(stage[n], stage[at(arg)] + (computed_op(arg) ? 1 : 0));
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
    const Node& found = graph_.nodes[at(node)];
    return is_op(found) && !(found.kind == NodeKind::reduction && takes_blocks(found, placement_.place));
  }

  void add_broadcasts(int phase, std::map<int, RootPlan>& roots) const {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (!needed_[n] || !(is(n, Place::local) || (reduces(n) && takes_blocks(node, placement_.place))))
        continue;
      for (const int arg : node.args) {
        if (!is(at(arg), Place::global) || placement_.phase[at(arg)] != phase) continue;
        RootPlan& plan = roots[placement_.root[at(arg)]];
        plan.root = placement_.root[at(arg)];
        add_once(plan.broadcast, arg);
      }
    }
  }

  static void add_once(std::vector<int>& list, int node) {
    if (std::find(list.begin(), list.end(), node) == list.end()) list.push_back(node);
  }

  const Graph& graph_;
  const Placement& placement_;
  std::vector<char> needed_, output_, value_;
};

std::int64_t length_of(const model::Runs& runs) {
  std::int64_t length = 0;
  for (const auto& run : runs) length += run.count;
  return length;
}

}  // namespace

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

model::Region region_of(const Graph& graph, const Placement& placement, int node,
                        const std::vector<const model::Region*>& inputs) {
  const Node& here = graph.nodes[at(node)];
  if (here.kind == NodeKind::input) return *inputs[at(here.input)];
  std::map<std::string, std::pair<model::Runs, std::string>> found;
  for (const int arg : here.args) {
    if (placement.place[at(arg)] != Place::local) continue;
    const model::Region region = region_of(graph, placement, arg, inputs);
    const Dims& dims = graph.nodes[at(arg)].shape.dims;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const auto [place, fresh] = found.try_emplace(dims[d].name, region.runs(d), text_of(graph, arg));
      if (fresh || place->second.first == region.runs(d)) continue;
      // A rank without cells may say so in any of its dimensions.
      if (region.size() == 0 || length_of(place->second.first) == 0) {
        if (length_of(region.runs(d)) == 0) place->second.first = region.runs(d);
        continue;
      }
      throw Error(ErrorCode::configuration,
                  fmt::format("\"{}\" and \"{}\" meet in an expression, but a rank holds different parts of "
                              "their dimension \"{}\"",
                              place->second.second, text_of(graph, arg), dims[d].name));
    }
  }
  std::vector<std::string> whole;
  if (here.kind == NodeKind::kernel) whole = static_cast<const Kernel*>(here.op)->needs_whole(here.call);
  std::vector<model::Runs> runs;
  for (const Dim& dim : here.shape.dims) {
    const auto from = found.find(dim.name);
    const bool is_whole =
        from == found.end() || std::find(whole.begin(), whole.end(), dim.name) != whole.end();
    runs.push_back(is_whole ? model::Runs{{0, dim.extent}} : from->second.first);
  }
  return model::Region(std::move(runs));
}

Schedule make_schedule(const Graph& graph, const Placement& placement, const std::vector<char>& due,
                       std::size_t inputs) {
  return Scheduler(graph, placement).make(due, inputs);
}

}  // namespace tailrace::analytics
