// What is computed from whole arrays, and what leaves the engine.
#include <fmt/format.h>

#include <algorithm>

#include "analytics/engine_blocks.hpp"
#include "analytics/engine_regions.hpp"
#include "base/bytes.hpp"

namespace tailrace::analytics {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

void Engine::Blocks::run_root_stage(Work& work, const Stage& stage,
                                    std::map<int, std::unique_ptr<KernelRun>>& runs) const {
  const auto whole = [&](int node) -> const Value& {
    return placement_.place[at(node)] == Place::known ? known(node) : work.globals[at(node)];
  };
  for (const ProgramPlan& plan : stage.programs) {
    // Values of single nodes: few, small, and each may lack something of its own.
    const bool all =
        std::all_of(plan.sources.begin(), plan.sources.end(), [&](int node) { return whole(node).present; });
    std::vector<std::span<double>> rooms;
    std::vector<Operand> operands;
    if (all) {
      for (const int node : plan.sources) operands.push_back({whole(node).bytes, whole(node).type});
      for (const int node : plan.stores)
        rooms.push_back(
            work.globals[at(node)].make(static_cast<std::size_t>(graph_.nodes[at(node)].shape.size())));
      plan.program->run(whole_region({plan.space, {}}), operands, rooms, {});
      continue;
    }
    for (std::size_t i = 0; i < plan.stores.size(); ++i) {
      const int node = plan.stores[i];
      const auto lost = std::find_if(plan.needs[i].begin(), plan.needs[i].end(),
                                     [&](int source) { return !whole(source).present; });
      Value& target = work.globals[at(node)];
      if (lost != plan.needs[i].end()) {
        target.absent(whole(*lost).reason);
        continue;
      }
      const Program part(graph_, plan.space, plan.needs[i], {node}, {});
      operands.clear();
      for (const int source : plan.needs[i]) operands.push_back({whole(source).bytes, whole(source).type});
      const std::span<double> room[] = {
          target.make(static_cast<std::size_t>(graph_.nodes[at(node)].shape.size()))};
      part.run(whole_region({plan.space, {}}), operands, room, {});
    }
  }
  for (const int op : stage.ops) {
    try {
      run_root_op(work, op, runs);
    } catch (const std::exception& error) {
      work.globals[at(op)].absent(failed(work, op, error));
    }
  }
}

void Engine::Blocks::run_root_op(Work& work, int node,
                                 std::map<int, std::unique_ptr<KernelRun>>& runs) const {
  const Node& op = graph_.nodes[at(node)];
  std::vector<std::vector<double>> doubles;
  std::vector<model::Region> regions;
  for (const int arg : op.args) {
    const Value& source = placement_.place[at(arg)] == Place::known ? known(arg) : work.globals[at(arg)];
    if (!source.present) return work.globals[at(node)].absent(source.reason);
    doubles.push_back(source.as_doubles());
    regions.push_back(whole_region(graph_.nodes[at(arg)].shape));
  }
  std::vector<ConstArray> arguments;
  for (std::size_t i = 0; i < doubles.size(); ++i) arguments.push_back({&regions[i], doubles[i]});
  Array result;
  if (op.kind == NodeKind::reduction) {
    const auto partial = static_cast<const Reduction*>(op.op)->start(op.call);
    partial->add(arguments);
    result = partial->finish();
  } else {
    const auto& kernel = *static_cast<const Kernel*>(op.op);
    if (kernel.remembers()) {
      auto& run = runs[node];
      if (!run) run = kernel.start(op.call);
      result = run->compute(arguments);
    } else {
      result = kernel.start(op.call)->compute(arguments);
    }
  }
  Value& target = work.globals[at(node)];
  std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
}

messaging::Bytes Engine::Blocks::announcement(const Work& work, const RootPlan& root) const {
  base::ByteWriter writer;
  for (const int node : root.broadcast) {
    const Value& value = work.globals[at(node)];
    writer.put_text(value.present ? "" : value.reason.empty() ? "it has no value" : value.reason);
    writer.put(value.type);
    writer.put_all(std::span<const std::byte>(value.bytes));
  }
  return writer.take();
}

void Engine::Blocks::take_announcement(Work& work, const RootPlan& root,
                                       const messaging::Bytes& message) const {
  base::ByteReader reader(message);
  for (const int node : root.broadcast) {
    Value& value = work.globals[at(node)];
    value.reason = reader.get_text();
    value.present = value.reason.empty();
    value.type = reader.get<model::DataType>();
    value.bytes = reader.get_all<std::byte>();
  }
}

std::string Engine::Blocks::failed(Work& work, int op, const std::exception& error) const {
  std::string why = fmt::format("{}: {}", text_of(graph_, op), error.what());
  const std::lock_guard lock(work.mutex);
  work.thrown.emplace(op, why);
  return why;
}

bool Engine::Blocks::depends(int node, int on) const {
  if (node == on) return true;
  const auto& args = graph_.nodes[at(node)].args;
  return std::any_of(args.begin(), args.end(), [&](int arg) { return arg >= on && depends(arg, on); });
}

void Engine::Blocks::results(Work& work, int me, int home, StepResults& results,
                             std::vector<Failure>& failures) const {
  for (const auto& [op, why] : work.thrown)
    for (const int diagnostic : work.schedule->diagnostics)
      if (depends(graph_.diagnostics[at(diagnostic)].node, op))
        failures.push_back({diagnostic, work.tick, why, true});
  const auto fail = [&](int diagnostic, int client, const std::string& why) {
    results.gaps.push_back({diagnostic, client});
    failures.push_back({diagnostic, work.tick, why.empty() ? "it has no value" : why, false});
  };
  for (const int diagnostic : work.schedule->diagnostics) {
    const int node = graph_.diagnostics[at(diagnostic)].node;
    const Place place = placement_.place[at(node)];
    if (place == Place::local) {
      for (std::size_t c = 0; c < clients_.size(); ++c) {
        const std::string why = missing(work, node, c);
        if (why.empty())
          results.results.push_back({diagnostic, clients_[c], work.clients[c].nodes[at(node)].as_doubles()});
        else
          fail(diagnostic, clients_[c], why);
      }
      continue;
    }
    if ((place == Place::known ? home : placement_.root[at(node)]) != me) continue;
    const Value& value = place == Place::known ? known(node) : work.globals[at(node)];
    if (value.present)
      results.results.push_back({diagnostic, -1, value.as_doubles()});
    else
      fail(diagnostic, -1, value.reason);
  }
}

void Engine::Blocks::recycle(Work& work) const {
  for (ClientValues& client : work.clients)
    for (Value& value : client.nodes) value.clear();
  for (Value& value : work.globals) value.clear();
  for (auto& lanes : work.lanes)
    for (Lane& lane : lanes)
      for (auto& [node, partial] : lane.partials) partial->clear();
  work.thrown.clear();
  work.schedule = nullptr;
  work.ended = work.running = false;
  work.phase = work.own_roots = work.bytes = 0;
}

}  // namespace tailrace::analytics
