// What is computed from whole arrays, and what leaves the engine.
#include <fmt/format.h>

#include <algorithm>

#include "analytics/engine_blocks.hpp"
#include "analytics/engine_regions.hpp"

namespace tailrace::analytics {

void Engine::Blocks::compute_at_root(Work& work, std::size_t phase, const RootPlan& root,
                                     const std::vector<messaging::Bytes>& parts, int me,
                                     std::map<int, std::unique_ptr<KernelRun>>& runs) const {
  merge_lanes(work, phase);
  Lane& lane = work.lanes[phase].front();
  std::map<int, std::vector<std::pair<int, Value>>> blocks;
  for (std::size_t server = 0; server < parts.size(); ++server)
    if (static_cast<int>(server) != me) take_contribution(work, root, parts[server], lane, blocks);
  for (const int node : root.gathered) {
    for (std::size_t c = 0; c < clients_.size(); ++c)
      blocks[node].emplace_back(clients_[c], work.clients[c].nodes[at(node)]);
    gather_blocks(work, node, blocks[node]);
  }
  if (phase == 0) take_replicated(work, me);
  for (const int node : root.reductions) {
    Value& target = work.globals[at(node)];
    add(target.absences, lane.absences[at(node)]);
    if (!target.absences.empty() && !bundled_.several(node)) continue;
    const Array result = partial(lane, node).finish();
    std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
  }
  for (const Stage& stage : root.stages) run_root_stage(work, stage, runs);
}

// Replicated fields, which the component's first rank puts.
void Engine::Blocks::take_replicated(Work& work, int me) const {
  if (clients_.empty() || clients_.front() != 0) return;
  for (std::size_t n = 0; n < bundled_.graph.nodes.size(); ++n)
    if (bundled_.graph.nodes[n].kind == NodeKind::input && bundled_.placement.place[n] == Place::global &&
        bundled_.placement.root[n] == me)
      work.globals[n] = work.clients.front().nodes[n];
}

void Engine::Blocks::run_root_program(Work& work, const ProgramPlan& plan, const Program& program,
                                      const std::vector<int>& sources, const std::vector<int>& stores) const {
  std::vector<Operand> operands;
  for (const int source : sources)
    operands.push_back({value(work, source, at_root).bytes, value(work, source, at_root).type});
  std::vector<std::span<double>> rooms;
  for (const int store : stores)
    rooms.push_back(work.globals[at(store)].make(static_cast<std::size_t>(node(store).shape.size())));
  program.run(whole_region({plan.space, {}}), operands, rooms, {});
}

void Engine::Blocks::run_root_stage(Work& work, const Stage& stage,
                                    std::map<int, std::unique_ptr<KernelRun>>& runs) const {
  for (const ProgramPlan& plan : stage.programs) {
    const bool all = std::all_of(plan.sources.begin(), plan.sources.end(),
                                 [&](int node) { return value(work, node, at_root).whole(); });
    const bool several = bundled_.several(plan.stores.front());
    const bool numbers = std::all_of(plan.sources.begin(), plan.sources.end(),
                                     [&](int node) { return value(work, node, at_root).present; });
    if (all || (several && numbers)) run_root_program(work, plan, *plan.program, plan.sources, plan.stores);
    if (all) continue;
    // Values of single nodes: few, small, and each may lack something of its own.
    for (std::size_t i = 0; i < plan.stores.size(); ++i) {
      const Absences lost = absences(work, plan.needs[i], at_root);
      add(work.globals[at(plan.stores[i])].absences, lost);
      if (several || !lost.empty()) continue;
      const Program part(bundled_.graph, plan.space, plan.needs[i], {plan.stores[i]}, {});
      run_root_program(work, plan, part, plan.needs[i], {plan.stores[i]});
    }
  }
  for (const int op : stage.ops) {
    try {
      run_root_op(work, op, runs);
    } catch (const std::exception& error) {
      const std::string why = failed(work, op, error);
      Absences all;
      for (std::size_t m = 0; m < bundled_.members[at(op)].size(); ++m)
        all.push_back({static_cast<int>(m), why});
      work.globals[at(op)].absent(all);
    }
  }
}

void Engine::Blocks::run_root_op(Work& work, int number,
                                 std::map<int, std::unique_ptr<KernelRun>>& runs) const {
  const Node& op = node(number);
  Value& target = work.globals[at(number)];
  add(target.absences, absences(work, op.args, at_root));
  if (!target.absences.empty() && !bundled_.several(number)) return;
  std::vector<std::vector<double>> rooms(op.args.size());
  std::vector<std::span<const double>> values;
  std::vector<model::Region> regions;
  for (const int arg : op.args) {
    values.push_back(value(work, arg, at_root).doubles_in(rooms[values.size()]));
    regions.push_back(whole_region(node(arg).shape));
  }
  std::vector<ConstArray> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) arguments.push_back({&regions[i], values[i]});
  Array result;
  if (op.kind == NodeKind::reduction) {
    const auto partial = static_cast<const Reduction*>(op.op)->start(op.call);
    partial->add(arguments);
    result = partial->finish();
  } else {
    const auto& kernel = *static_cast<const Kernel*>(op.op);
    if (kernel.remembers()) {
      auto& run = runs[bundled_.members[at(number)].front()];
      if (!run) run = kernel.start(op.call);
      result = run->compute(arguments);
    } else {
      result = kernel.start(op.call)->compute(arguments);
    }
  }
  std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
}

std::string Engine::Blocks::failed(Work& work, int op, const std::exception& error) const {
  std::string why = fmt::format("{}: {}", text_of(graph_, bundled_.members[at(op)].front()), error.what());
  const std::lock_guard lock(work.mutex);
  work.thrown.emplace(op, why);
  return why;
}

// Of the graph that is not bundled.
bool Engine::Blocks::depends(int node, int on) const {
  if (node == on) return true;
  const auto& args = graph_.nodes[at(node)].args;
  return std::any_of(args.begin(), args.end(), [&](int arg) { return arg >= on && depends(arg, on); });
}

void Engine::Blocks::results(const Work& work, const std::vector<int>& diagnostics, int me, int home,
                             StepResults& results, std::vector<Failure>& failures) const {
  for (const auto& [op, why] : work.thrown)
    for (const int diagnostic : diagnostics)
      for (const int member : bundled_.members[at(op)])
        if (depends(graph_.diagnostics[at(diagnostic)].node, member))
          failures.push_back({diagnostic, work.tick, why, true});
  results.results.reserve(diagnostics.size());
  const auto give = [&](int diagnostic, int client, const Value& value, Bundled::Seat seat) {
    const Absence* const absence = find(value.absences, seat.member);
    if (absence != nullptr || !value.present) {
      const bool told = absence != nullptr && !absence->why.empty();
      results.gaps.push_back({diagnostic, client});
      failures.push_back({diagnostic, work.tick, told ? absence->why : "it has no value", false});
      return;
    }
    const std::size_t count = value.size() / bundled_.members[at(seat.node)].size();
    results.results.push_back({diagnostic, client, results.values.size(), count});
    value.append_to(results.values, at(seat.member) * count, count);
  };
  for (const int diagnostic : diagnostics) {
    const Bundled::Seat seat = bundled_.seats[at(graph_.diagnostics[at(diagnostic)].node)];
    if (place(seat.node) == Place::local) {
      for (std::size_t c = 0; c < clients_.size(); ++c)
        give(diagnostic, clients_[c], work.clients[c].nodes[at(seat.node)], seat);
    } else if ((place(seat.node) == Place::known ? home : bundled_.placement.root[at(seat.node)]) == me) {
      give(diagnostic, -1, value(work, seat.node, at_root), seat);
    }
  }
}

void Engine::Blocks::recycle(Work& work) const {
  for (ClientValues& client : work.clients)
    for (Value& value : client.nodes) value.clear();
  for (Value& value : work.globals) value.clear();
  for (auto& lanes : work.lanes)
    for (Lane& lane : lanes) {
      for (const auto& partial : lane.partials)
        if (partial) partial->clear();
      for (Absences& absences : lane.absences) absences.clear();
    }
  work.thrown.clear();
  work.ended = work.running = false;
  work.phase = work.own_roots = 0;
}

}  // namespace tailrace::analytics
