#include "analytics/engine_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analytics/engine_regions.hpp"

namespace tailrace::analytics {
namespace {

constexpr std::int64_t worth_a_worker = 1 << 16;  // cells
constexpr std::int64_t light_cells = 1 << 15;
constexpr std::size_t most_lanes = 8;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Operand operand_of(const Value& value) { return {value.bytes, value.type}; }

model::Region side_by_side(const model::Region& block, std::size_t members) {
  std::vector<model::Runs> runs{{{0, static_cast<std::int64_t>(members)}}};
  for (std::size_t d = 0; d < block.rank(); ++d) runs.push_back(block.runs(d));
  return model::Region(std::move(runs));
}

}  // namespace

Engine::Blocks::Blocks(const Graph& graph, const Bundled& bundled, const Schedule& schedule,
                       const Layout& layout, const std::vector<int>& clients)
    : graph_(graph), bundled_(bundled), schedule_(schedule), layout_(layout), clients_(clients) {
  lay_out(clients);
  for (const PhasePlan& phase : schedule.phases) {
    lanes_.push_back(worth(phase.blocks));
    light_.push_back(is_light(phase));
  }
}

void Engine::Blocks::lay_out(const std::vector<int>& clients) {
  regions_.assign(bundled_.graph.nodes.size(), nullptr);
  for (std::size_t n = 0; n < regions_.size(); ++n) {
    if (bundled_.placement.place[n] != Place::local) continue;
    const int cut = bundled_.placement.cut[n];
    const std::size_t members = bundled_.members[n].size();
    const auto [list, fresh] = lists_.try_emplace({cut, members});
    if (fresh)
      for (const int client : clients) {
        const model::Region& block = layout_.regions[at(cut)][at(client)];
        list->second.push_back(members > 1 ? side_by_side(block, members) : block);
      }
    regions_[n] = &list->second;
  }
}

std::int64_t Engine::Blocks::cells(const Stage& stage) const {
  std::int64_t cells = 0;
  const auto count = [&](int node) {
    if (place(node) != Place::local) return;
    for (std::size_t c = 0; c < clients_.size(); ++c) cells += region(node, c).size();
  };
  for (const ProgramPlan& plan : stage.programs)
    count(plan.stores.empty() ? node(plan.sinks.front()).args.front() : plan.stores.front());
  for (const int op : stage.ops)
    for (const int arg : node(op).args) count(arg);
  return cells;
}

bool Engine::Blocks::is_light(const PhasePlan& phase) const {
  std::int64_t all = cells(phase.blocks);
  bool known = phase.blocks.ops.empty();
  for (const RootPlan& root : phase.roots) {
    for (const Stage& stage : root.stages) {
      known = known && stage.ops.empty();
      for (const ProgramPlan& plan : stage.programs)
        for (const int store : plan.stores) all += node(store).shape.size();
    }
  }
  return known && all <= light_cells;
}

std::size_t Engine::Blocks::worth(const Stage& stage) const {
  return std::clamp<std::size_t>(static_cast<std::size_t>(cells(stage) / worth_a_worker), 1,
                                 std::clamp<std::size_t>(clients_.size(), 1, most_lanes));
}

void Engine::Blocks::open(Work& work) const {
  for (std::size_t n = 0; n < bundled_.graph.nodes.size(); ++n) {
    if (bundled_.graph.nodes[n].kind != NodeKind::input || bundled_.members[n].size() == 1) continue;
    for (std::size_t c = 0; c < clients_.size(); ++c) {
      ClientValues& values = work.clients[c];
      const std::size_t members = bundled_.members[n].size();
      const std::span<double> row = values.nodes[n].make(static_cast<std::size_t>((*regions_[n])[c].size()));
      values.came[n].assign(members, 0);
      values.rows[n] = {row.data(), values.came[n].data(), members, row.size() / members};
    }
  }
}

void Engine::Blocks::take(Work& work, Bundled::Seat seat, std::size_t client, model::DataType type,
                          std::span<const std::byte> payload) const {
  ClientValues& values = work.clients[client];
  const ClientValues::Row& row = values.rows[at(seat.node)];
  if (row.came == nullptr) {
    Value& value = values.nodes[at(seat.node)];
    value.bytes.assign(payload.begin(), payload.end());
    value.type = type;
    value.present = true;
    return;
  }
  TAILRACE_ASSERT(payload.size() == row.cells * model::size_of(type) && at(seat.member) < row.members,
                  "a block of another size");
  double* const room = row.values + at(seat.member) * row.cells;
  if (type == model::DataType::float64)
    std::memcpy(room, payload.data(), payload.size());
  else
    convert(type, payload, room);
  row.came[seat.member] = 1;
}

void Engine::Blocks::close(Work& work) const {
  const auto not_put = [&](std::size_t client, int original) {
    return fmt::format("rank {} of the model did not put \"{}\" at step {}", clients_[client],
                       graph_.nodes[at(original)].name, work.tick.step);
  };
  for (std::size_t n = 0; n < bundled_.graph.nodes.size(); ++n) {
    if (bundled_.graph.nodes[n].kind != NodeKind::input || bundled_.placement.place[n] == Place::known)
      continue;
    const auto& members = bundled_.members[n];
    const bool local = bundled_.placement.place[n] == Place::local;
    for (std::size_t c = 0; c < clients_.size(); ++c) {
      if (!local && clients_[c] != 0) break;  // what all ranks hold is the first one's
      Value& value = work.clients[c].nodes[n];
      // Ranks without cells put nothing.
      if (local && (*regions_[n])[c].size() == 0) {
        value.make(0);
      } else if (members.size() == 1) {
        if (!value.present) value.absent({{0, not_put(c, members.front())}});
      } else {
        const auto& came = work.clients[c].came[n];
        const std::size_t cells = value.size() / members.size();
        for (std::size_t m = 0; m < members.size(); ++m) {
          if (came[m]) continue;
          std::fill_n(value.doubles().begin() + static_cast<std::ptrdiff_t>(m * cells), cells, nan);
          value.absences.push_back({static_cast<int>(m), not_put(c, members[m])});
        }
      }
      work.bytes += value.bytes.size();
    }
  }
}

const Value& Engine::Blocks::value(const Work& work, int node, std::size_t client) const {
  if (place(node) == Place::known) return layout_.known[at(bundled_.members[at(node)].front())];
  return place(node) == Place::global || client == at_root ? work.globals[at(node)]
                                                           : work.clients[client].nodes[at(node)];
}

Absences Engine::Blocks::absences(const Work& work, const std::vector<int>& sources,
                                  std::size_t client) const {
  Absences all;
  for (const int source : sources) {
    const Value& found = value(work, source, client);
    add(all, found.absences);
    if (found.present || !found.absences.empty()) continue;
    for (std::size_t m = 0; m < bundled_.members[at(source)].size(); ++m)
      add(all, {{static_cast<int>(m), "it has no value"}});
  }
  return all;
}

void Engine::Blocks::mark(Work& work, int node, std::size_t client, Lane& lane,
                          const Absences& absences) const {
  if (absences.empty()) return;
  if (place(node) != Place::local) return add(lane.absences[at(node)], absences);
  Value& target = work.clients[client].nodes[at(node)];
  add(target.absences, absences);
  if (!bundled_.several(node)) target.present = false;
}

void Engine::Blocks::run(Work& work, std::size_t phase, std::size_t client, Lane& lane) const {
  const Stage& stage = schedule_.phases[phase].blocks;
  for (const ProgramPlan& plan : stage.programs) run_program(work, plan, client, lane);
  for (const int op : stage.ops) {
    try {
      run_op(work, op, client, lane);
    } catch (const std::exception& error) {
      mark(work, op, client, lane, {{0, failed(work, op, error)}});
    }
  }
}

// A program as a whole, or, where something it reads is missing, those parts of it that can be done. What
// lies side by side is done all the same: one member's numbers never touch another's.
void Engine::Blocks::run_program(Work& work, const ProgramPlan& plan, std::size_t client, Lane& lane) const {
  const auto whole = [&](int node) { return value(work, node, client).whole(); };
  if (std::all_of(plan.sources.begin(), plan.sources.end(), whole))
    return run_part(work, plan, *plan.program, plan.sources, plan.stores, plan.sinks, client, lane);
  const bool several = bundled_.several(plan.stores.empty() ? plan.sinks.front() : plan.stores.front());
  const bool numbers = std::all_of(plan.sources.begin(), plan.sources.end(),
                                   [&](int node) { return value(work, node, client).present; });
  if (several && numbers)
    run_part(work, plan, *plan.program, plan.sources, plan.stores, plan.sinks, client, lane);
  for (std::size_t i = 0; i < plan.needs.size(); ++i) {
    const bool store = i < plan.stores.size();
    const int node = store ? plan.stores[i] : plan.sinks[i - plan.stores.size()];
    const Absences lost = absences(work, plan.needs[i], client);
    mark(work, node, client, lane, lost);
    if (several || !lost.empty()) continue;
    const std::vector<int> stores = store ? std::vector{node} : std::vector<int>{};
    const std::vector<int> sinks = store ? std::vector<int>{} : std::vector{node};
    const Program part(bundled_.graph, plan.space, plan.needs[i], stores, sinks);
    run_part(work, plan, part, plan.needs[i], stores, sinks, client, lane);
  }
}

Partial& Engine::Blocks::partial(Lane& lane, int node) const {
  auto& partial = lane.partials[at(node)];
  if (!partial) {
    const Node& found = this->node(node);
    partial = static_cast<const Reduction*>(found.op)->start(found.call);
  }
  return *partial;
}

void Engine::Blocks::run_part(Work& work, const ProgramPlan& plan, const Program& program,
                              const std::vector<int>& sources, const std::vector<int>& stores,
                              const std::vector<int>& sinks, std::size_t client, Lane& lane) const {
  const int any = stores.empty() ? node(sinks.front()).args.front() : stores.front();
  const model::Region& here = region(any, client);
  const model::Region own = plan.own_cells ? from_zero(here) : model::Region();
  std::vector<std::vector<double>> cuts;
  cuts.reserve(sources.size());
  std::vector<Operand> operands;
  for (const int number : sources) {
    const Value& source = value(work, number, client);
    const Shape& shape = node(number).shape;
    if (place(number) == Place::local || covers(shape, plan.space, here)) {
      operands.push_back(operand_of(source));
      continue;
    }
    cuts.push_back(cut(source.as_doubles(), shape, part_for(shape, plan.space, here)));
    operands.push_back({std::as_bytes(std::span<const double>(cuts.back())), model::DataType::float64});
  }
  std::vector<std::span<double>> rooms;
  for (const int store : stores)
    rooms.push_back(work.clients[client].nodes[at(store)].make(static_cast<std::size_t>(here.size())));
  std::vector<FusiblePartial*> partials;
  std::vector<std::unique_ptr<Partial>> kept;
  for (const int sink : sinks) {
    if (plan.own_cells) {
      const auto& reduction = *static_cast<const Reduction*>(node(sink).op);
      kept.push_back(reduction.start(call_within(node(sink).call, {&here})));
    }
    partials.push_back(
        static_cast<FusiblePartial*>(plan.own_cells ? kept.back().get() : &partial(lane, sink)));
  }
  program.run(plan.own_cells ? own : here, operands, rooms, partials);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Array result = kept[i]->finish();
    Value& target = work.clients[client].nodes[at(sinks[i])];
    std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
  }
}

void Engine::Blocks::run_op(Work& work, int number, std::size_t client, Lane& lane) const {
  const Node& op = node(number);
  if (const Absences lost = absences(work, op.args, client); !lost.empty())
    return mark(work, number, client, lane, lost);
  const bool own = op.kind == NodeKind::reduction && place(number) == Place::local;
  Dims dims;
  model::Region here;
  for (const int arg : op.args) {
    if (place(arg) != Place::local) continue;
    dims = node(arg).shape.dims;
    here = region(arg, client);
  }
  std::vector<std::vector<double>> rooms(op.args.size());
  std::vector<std::span<const double>> values;
  std::vector<model::Region> regions;
  for (const int arg : op.args) {
    const Value& source = value(work, arg, client);
    std::vector<double>& room = rooms[values.size()];
    const Shape& shape = node(arg).shape;
    const bool local = place(arg) == Place::local;
    regions.push_back(local ? region(arg, client) : part_for(shape, dims, here));
    if (local || covers(shape, dims, here)) {
      values.push_back(source.doubles_in(room));
    } else {
      room = cut(source.as_doubles(), shape, regions.back());
      values.emplace_back(room);
    }
  }
  std::vector<const model::Region*> blocks;
  for (const model::Region& each : regions) blocks.push_back(&each);
  std::vector<model::Region> zero;
  if (own)
    for (const model::Region& each : regions) zero.push_back(from_zero(each));
  std::vector<ConstArray> arguments;
  for (std::size_t i = 0; i < values.size(); ++i)
    arguments.push_back({own ? &zero[i] : &regions[i], values[i]});
  Array result;
  if (op.kind == NodeKind::kernel) {
    result = static_cast<const Kernel*>(op.op)->start(op.call)->compute(arguments);
  } else if (own) {
    const auto partial = static_cast<const Reduction*>(op.op)->start(call_within(op.call, blocks));
    partial->add(arguments);
    result = partial->finish();
  } else {
    return partial(lane, number).add(arguments);
  }
  Value& target = work.clients[client].nodes[at(number)];
  std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
}

}  // namespace tailrace::analytics
