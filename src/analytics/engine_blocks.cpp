#include "analytics/engine_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analytics/engine_regions.hpp"
#include "base/bytes.hpp"

namespace tailrace::analytics {
namespace {

constexpr std::int64_t worth_a_worker = 1 << 16;  // cells

std::size_t at(int index) { return static_cast<std::size_t>(index); }

Operand operand_of(const Value& value) { return {value.bytes, value.type}; }

}  // namespace

std::vector<double> Value::as_doubles() const {
  return model::dispatch(type, [&](auto zero) {
    using Type = decltype(zero);
    std::vector<double> doubles(bytes.size() / sizeof(Type));
    for (std::size_t i = 0; i < doubles.size(); ++i) {
      Type element;
      std::memcpy(&element, bytes.data() + i * sizeof(Type), sizeof(Type));
      doubles[i] = static_cast<double>(element);
    }
    return doubles;
  });
}

Engine::Blocks::Blocks(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs,
                       const std::vector<int>& clients)
    : graph_(graph), placement_(placement), inputs_(inputs), clients_(clients) {
  nodes_of_inputs_.assign(inputs.size(), -1);
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    if (graph_.nodes[n].kind == NodeKind::input)
      nodes_of_inputs_[at(graph_.nodes[n].input)] = static_cast<int>(n);
  compute_known();
  std::size_t ranks = 0;
  for (const EngineInput& input : inputs_) ranks = std::max(ranks, input.regions.size());
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (placement_.place[n] != Place::local) continue;
    auto& regions = regions_[static_cast<int>(n)];
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::vector<const model::Region*> of_inputs;
      for (const EngineInput& input : inputs_)
        of_inputs.push_back(input.regions.empty() ? nullptr : &input.regions[rank]);
      regions.push_back(region_of(graph_, placement_, static_cast<int>(n), of_inputs));
    }
  }
}

std::vector<int> Engine::Blocks::cuts() const {
  std::vector<const std::vector<model::Region>*> seen;
  std::vector<int> cuts(graph_.nodes.size(), -1);
  for (const auto& [node, regions] : regions_) {
    const auto same =
        std::find_if(seen.begin(), seen.end(), [&](const auto* each) { return *each == regions; });
    cuts[at(node)] = static_cast<int>(same - seen.begin());
    if (same == seen.end()) seen.push_back(&regions);
  }
  return cuts;
}

void Engine::Blocks::compute_known() {
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    if (placement_.place[n] != Place::known) continue;
    Value& value = known_[static_cast<int>(n)];
    const auto doubles = value.make(static_cast<std::size_t>(node.shape.size()));
    if (node.kind == NodeKind::constant) {
      doubles[0] = node.constant;
    } else if (node.kind == NodeKind::input) {
      std::copy_n(inputs_[at(node.input)].values.begin(), doubles.size(), doubles.begin());
    } else {
      std::vector<int> sources;
      std::vector<Operand> operands;
      for (const int arg : node.args) {
        if (graph_.nodes[at(arg)].kind == NodeKind::constant ||
            std::find(sources.begin(), sources.end(), arg) != sources.end())
          continue;
        sources.push_back(arg);
        operands.push_back(operand_of(known(arg)));
      }
      const Program program(graph_, node.shape.dims, sources, {static_cast<int>(n)}, {});
      const std::span<double> stores[] = {doubles};
      program.run(whole_region(node.shape), operands, stores, {});
    }
  }
}

const model::Region& Engine::Blocks::region(int node, std::size_t client) const {
  return regions_.at(node)[at(clients_[client])];
}

Value& Engine::Blocks::value(Work& work, int node, std::size_t client) const {
  switch (placement_.place[at(node)]) {
    case Place::known: return const_cast<Value&>(known(node));
    case Place::global: return work.globals[at(node)];
    case Place::local: break;
  }
  return work.clients[client].nodes[at(node)];
}

std::string Engine::Blocks::missing(const Work& work, int node, std::size_t client) const {
  const Place place = placement_.place[at(node)];
  if (place == Place::known) return "";
  const Value& value = place == Place::global ? work.globals[at(node)] : work.clients[client].nodes[at(node)];
  if (value.present) return "";
  if (!value.reason.empty()) return value.reason;
  return fmt::format("rank {} of the model did not put \"{}\" at step {}", clients_[client],
                     graph_.nodes[at(node)].name, work.tick.step);
}

std::size_t Engine::Blocks::lanes(const Schedule& schedule, std::size_t phase) const {
  std::int64_t cells = 0;
  for (const ProgramPlan& plan : schedule.phases[phase].blocks.programs) {
    const int node =
        plan.stores.empty() ? graph_.nodes[at(plan.sinks.front())].args.front() : plan.stores.front();
    if (placement_.place[at(node)] != Place::local) continue;
    for (std::size_t c = 0; c < clients_.size(); ++c) cells += region(node, c).size();
  }
  for (const int op : schedule.phases[phase].blocks.ops)
    for (std::size_t c = 0; c < clients_.size(); ++c)
      for (const int arg : graph_.nodes[at(op)].args)
        if (placement_.place[at(arg)] == Place::local) cells += region(arg, c).size();
  const auto worth = static_cast<std::size_t>(cells / worth_a_worker);
  return std::clamp<std::size_t>(worth, 1,
                                 std::max<std::size_t>(1, std::min<std::size_t>(8, clients_.size())));
}

void Engine::Blocks::run(Work& work, std::size_t phase, std::size_t client, Lane& lane) const {
  const Stage& stage = work.schedule->phases[phase].blocks;
  for (const ProgramPlan& plan : stage.programs) run_program(work, plan, client, lane);
  for (const int op : stage.ops) {
    try {
      run_op(work, op, client, lane);
    } catch (const std::exception& error) {
      const std::string why = failed(work, op, error);
      if (placement_.place[at(op)] == Place::local)
        work.clients[client].nodes[at(op)].absent(why);
      else
        lane.absent.emplace(op, why);
    }
  }
}

// A program as a whole, or, where something it reads is missing, those parts of it that can be done.
void Engine::Blocks::run_program(Work& work, const ProgramPlan& plan, std::size_t client, Lane& lane) const {
  const auto is_there = [&](int node) { return missing(work, node, client).empty(); };
  if (std::all_of(plan.sources.begin(), plan.sources.end(), is_there))
    return run_part(work, plan, *plan.program, plan.sources, plan.stores, plan.sinks, client, lane);
  for (std::size_t i = 0; i < plan.needs.size(); ++i) {
    const bool store = i < plan.stores.size();
    const int node = store ? plan.stores[i] : plan.sinks[i - plan.stores.size()];
    const auto lost = std::find_if_not(plan.needs[i].begin(), plan.needs[i].end(), is_there);
    if (lost != plan.needs[i].end()) {
      const std::string why = missing(work, *lost, client);
      if (placement_.place[at(node)] == Place::local)
        work.clients[client].nodes[at(node)].absent(why);
      else
        lane.absent.emplace(node, why);
      continue;
    }
    const std::vector<int> stores = store ? std::vector{node} : std::vector<int>{};
    const std::vector<int> sinks = store ? std::vector<int>{} : std::vector{node};
    const Program part(graph_, plan.space, plan.needs[i], stores, sinks);
    run_part(work, plan, part, plan.needs[i], stores, sinks, client, lane);
  }
}

void Engine::Blocks::run_part(Work& work, const ProgramPlan& plan, const Program& program,
                              const std::vector<int>& sources, const std::vector<int>& stores,
                              const std::vector<int>& sinks, std::size_t client, Lane& lane) const {
  const int any = stores.empty() ? graph_.nodes[at(sinks.front())].args.front() : stores.front();
  const model::Region& here = region(any, client);
  const model::Region own = plan.own_cells ? from_zero(here) : model::Region();
  std::vector<std::vector<double>> cuts;
  cuts.reserve(sources.size());
  std::vector<Operand> operands;
  for (const int node : sources) {
    Value& source = value(work, node, client);
    const Shape& shape = graph_.nodes[at(node)].shape;
    if (placement_.place[at(node)] == Place::local || covers(shape, plan.space, here)) {
      operands.push_back(operand_of(source));
      continue;
    }
    cuts.push_back(cut(source.as_doubles(), shape, part_for(shape, plan.space, here)));
    operands.push_back({std::as_bytes(std::span<const double>(cuts.back())), model::DataType::float64});
  }
  std::vector<std::span<double>> rooms;
  for (const int node : stores)
    rooms.push_back(work.clients[client].nodes[at(node)].make(static_cast<std::size_t>(here.size())));
  std::vector<FusiblePartial*> partials;
  std::vector<std::unique_ptr<Partial>> kept;
  for (const int node : sinks) {
    const Node& found = graph_.nodes[at(node)];
    const auto& reduction = *static_cast<const Reduction*>(found.op);
    if (plan.own_cells) {
      kept.push_back(reduction.start(call_within(found.call, {&here})));
      partials.push_back(static_cast<FusiblePartial*>(kept.back().get()));
      continue;
    }
    auto& partial = lane.partials[node];
    if (!partial) partial = reduction.start(found.call);
    partials.push_back(static_cast<FusiblePartial*>(partial.get()));
  }
  program.run(plan.own_cells ? own : here, operands, rooms, partials);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Array result = kept[i]->finish();
    Value& target = work.clients[client].nodes[at(sinks[i])];
    std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
  }
}

void Engine::Blocks::run_op(Work& work, int node, std::size_t client, Lane& lane) const {
  const Node& op = graph_.nodes[at(node)];
  for (const int arg : op.args) {
    const std::string why = missing(work, arg, client);
    if (why.empty()) continue;
    if (placement_.place[at(node)] == Place::local)
      work.clients[client].nodes[at(node)].absent(why);
    else
      lane.absent.emplace(node, why);
    return;
  }
  const bool own = op.kind == NodeKind::reduction && placement_.place[at(node)] == Place::local;
  std::vector<std::vector<double>> doubles;
  std::vector<model::Region> regions;
  std::vector<const model::Region*> blocks;
  Dims dims;
  model::Region here;
  for (const int arg : op.args) {
    if (placement_.place[at(arg)] != Place::local) continue;
    dims = graph_.nodes[at(arg)].shape.dims;
    here = region(arg, client);
  }
  for (const int arg : op.args) {
    Value& source = value(work, arg, client);
    const Shape& shape = graph_.nodes[at(arg)].shape;
    if (placement_.place[at(arg)] == Place::local) {
      doubles.push_back(source.as_doubles());
      regions.push_back(region(arg, client));
    } else {
      regions.push_back(part_for(shape, dims, here));
      doubles.push_back(cut(source.as_doubles(), shape, regions.back()));
    }
  }
  for (const model::Region& each : regions) blocks.push_back(&each);
  std::vector<model::Region> zero;
  if (own)
    for (const model::Region& each : regions) zero.push_back(from_zero(each));
  std::vector<ConstArray> arguments;
  for (std::size_t i = 0; i < doubles.size(); ++i)
    arguments.push_back({own ? &zero[i] : &regions[i], doubles[i]});
  Array result;
  if (op.kind == NodeKind::kernel) {
    result = static_cast<const Kernel*>(op.op)->start(op.call)->compute(arguments);
  } else if (own) {
    const auto partial = static_cast<const Reduction*>(op.op)->start(call_within(op.call, blocks));
    partial->add(arguments);
    result = partial->finish();
  } else {
    auto& partial = lane.partials[node];
    if (!partial) partial = static_cast<const Reduction*>(op.op)->start(op.call);
    return partial->add(arguments);
  }
  Value& target = work.clients[client].nodes[at(node)];
  std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
}

void Engine::Blocks::merge_lanes(Work& work, std::size_t phase) const {
  auto& lanes = work.lanes[phase];
  if (lanes.empty()) return;
  for (std::size_t lane = 1; lane < lanes.size(); ++lane) {
    for (auto& [node, partial] : lanes[lane].partials) {
      auto& first = lanes.front().partials[node];
      if (!first)
        first = static_cast<const Reduction*>(graph_.nodes[at(node)].op)->start(graph_.nodes[at(node)].call);
      first->merge(partial->to_bytes());
      partial->clear();
    }
    lanes.front().absent.insert(lanes[lane].absent.begin(), lanes[lane].absent.end());
    lanes[lane].absent.clear();
  }
}

messaging::Bytes Engine::Blocks::contribution(Work& work, std::size_t phase, const RootPlan& root) const {
  merge_lanes(work, phase);
  base::ByteWriter writer;
  Lane empty;
  Lane& lane = work.lanes[phase].empty() ? empty : work.lanes[phase].front();
  for (const int node : root.reductions) {
    const auto absent = lane.absent.find(node);
    writer.put_text(absent == lane.absent.end() ? "" : absent->second);
    const auto partial = lane.partials.find(node);
    writer.put_all(std::span<const std::byte>(partial == lane.partials.end() ? std::vector<std::byte>()
                                                                             : partial->second->to_bytes()));
  }
  for (const int node : root.gathered) {
    writer.put(static_cast<std::int32_t>(clients_.size()));
    for (std::size_t c = 0; c < clients_.size(); ++c) {
      writer.put(static_cast<std::int32_t>(clients_[c]));
      writer.put_text(missing(work, node, c));
      const Value& block = work.clients[c].nodes[at(node)];
      writer.put(block.type);
      writer.put_all(std::span<const std::byte>(block.bytes));
    }
  }
  return writer.take();
}

void Engine::Blocks::gather_blocks(Work& work, int node,
                                   const std::vector<std::pair<int, Value>>& blocks) const {
  const Shape& shape = graph_.nodes[at(node)].shape;
  Value& whole = work.globals[at(node)];
  const auto doubles = whole.make(static_cast<std::size_t>(shape.size()));
  std::fill(doubles.begin(), doubles.end(), std::numeric_limits<double>::quiet_NaN());
  const model::Box box = whole_box(shape);
  for (const auto& [client, block] : blocks) {
    if (!block.present) {
      whole.absent(block.reason);
      return;
    }
    const std::vector<double> from = block.as_doubles();
    for (const model::Segment& segment : model::intersect(regions_.at(node)[at(client)], box))
      std::copy_n(from.begin() + segment.source, segment.count, doubles.begin() + segment.target);
  }
}

void Engine::Blocks::compute_at_root(Work& work, std::size_t phase, const RootPlan& root,
                                     const std::vector<messaging::Bytes>& parts, int me,
                                     std::map<int, std::unique_ptr<KernelRun>>& runs) const {
  merge_lanes(work, phase);
  auto& lanes = work.lanes[phase];
  if (lanes.empty()) lanes.resize(1);
  Lane& lane = lanes.front();
  for (const int node : root.reductions) {
    auto& partial = lane.partials[node];
    const Node& found = graph_.nodes[at(node)];
    if (!partial) partial = static_cast<const Reduction*>(found.op)->start(found.call);
  }
  std::map<int, std::vector<std::pair<int, Value>>> blocks;
  for (std::size_t server = 0; server < parts.size(); ++server) {
    if (static_cast<int>(server) == me) continue;
    base::ByteReader reader(parts[server]);
    for (const int node : root.reductions) {
      const std::string absent = reader.get_text();
      if (!absent.empty()) lane.absent.emplace(node, absent);
      const auto bytes = reader.get_all<std::byte>();
      if (!bytes.empty()) lane.partials[node]->merge(bytes);
    }
    for (const int node : root.gathered) {
      for (auto count = reader.get<std::int32_t>(); count > 0; --count) {
        const auto client = reader.get<std::int32_t>();
        Value block;
        block.reason = reader.get_text();
        block.present = block.reason.empty();
        block.type = reader.get<model::DataType>();
        block.bytes = reader.get_all<std::byte>();
        blocks[node].emplace_back(client, std::move(block));
      }
    }
  }
  for (const int node : root.gathered) {
    for (std::size_t c = 0; c < clients_.size(); ++c) {
      Value block = work.clients[c].nodes[at(node)];
      block.absent(missing(work, node, c));
      block.present = block.reason.empty();
      blocks[node].emplace_back(clients_[c], std::move(block));
    }
    gather_blocks(work, node, blocks[node]);
  }
  if (phase == 0)  // replicated fields, which the component's first rank puts
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (graph_.nodes[n].kind == NodeKind::input && placement_.place[n] == Place::global &&
          placement_.root[n] == me && !work.clients.empty() && clients_.front() == 0) {
        Value& target = work.globals[n];
        target = work.clients.front().nodes[n];
        if (!target.present)
          target.absent(fmt::format("rank 0 of the model did not put \"{}\" at step {}", graph_.nodes[n].name,
                                    work.tick.step));
      }
  for (const int node : root.reductions) {
    Value& target = work.globals[at(node)];
    const auto absent = lane.absent.find(node);
    if (absent != lane.absent.end()) {
      target.absent(absent->second);
      continue;
    }
    const Array result = lane.partials[node]->finish();
    std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
  }
  for (const Stage& stage : root.stages) run_root_stage(work, stage, runs);
}

}  // namespace tailrace::analytics
