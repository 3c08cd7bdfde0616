#include "analytics/engine/work/client_run.hpp"

#include <algorithm>
#include <memory>

#include "analytics/engine/work/regions.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::engine::work {

using planning::ProgramPlan;

// Operands point into `rooms`, whose buffers a move does not relocate.
struct ClientRun::Read {
  std::vector<std::vector<double>> cuts;
  std::vector<Operand> operands;
};

struct ClientRun::Arguments {
  std::vector<std::vector<double>> rooms;  // copies of what had to be cut or converted
  std::vector<std::span<const double>> values;
  std::vector<model::Region> regions;

  std::vector<ConstArray> at(const std::vector<model::Region>& places) const {
    std::vector<ConstArray> arrays;
    for (std::size_t i = 0; i < values.size(); ++i) arrays.push_back({&places[i], values[i]});
    return arrays;
  }
};

void ClientRun::run(const planning::Stage& stage) {
  for (const ProgramPlan& program : stage.programs) run_program(program);
  for (const int op : stage.ops) {
    try {
      run_op(op);
    } catch (const std::exception& error) {
      mark(op, {{.member = 0, .why = values_.failed(op, error)}});
    }
  }
}

void ClientRun::mark(int node, const Absences& absences) {
  if (absences.empty()) return;
  if (!is_local(node)) return add(worker_.absences[base::index(node)], absences);
  Value& target = values_.of_client(client_, node);
  add(target.absences, absences);
  if (!plan_.several(node)) target.present = false;
}

// Runs a program as a whole or, if an input is missing, those parts of it that can be computed. Bundled
// members are computed anyway: the numbers of one never affect another.
void ClientRun::run_program(const ProgramPlan& program) {
  const auto& sources = program.sources;
  if (std::all_of(sources.begin(), sources.end(),
                  [&](int node) { return values_.value(node, client_).whole(); }))
    return run_whole(program);
  const bool several = plan_.several(program.stores.empty() ? program.sinks.front() : program.stores.front());
  if (several && std::all_of(sources.begin(), sources.end(),
                             [&](int node) { return values_.value(node, client_).present; }))
    run_whole(program);
  run_parts(program, several);
}

void ClientRun::run_parts(const ProgramPlan& program, bool several) {
  for (std::size_t i = 0; i < program.needs.size(); ++i) {
    const Absences lost = values_.absences(program.needs[i], client_);
    mark(program.gives(i), lost);
    if (!several && lost.empty()) run_whole(planning::part(plan_.bundled().graph, program, i));
  }
}

ClientRun::Read ClientRun::read(const ProgramPlan& program, const model::Region& here) const {
  Read read;
  read.cuts.reserve(program.sources.size());
  for (const int number : program.sources) {
    const Value& source = values_.value(number, client_);
    const Shape& shape = plan_.node(number).shape;
    if (is_local(number) || covers(shape, program.space, here)) {
      read.operands.push_back({source.bytes, source.type});
      continue;
    }
    read.cuts.push_back(cut(source.as_doubles(), shape, part_for(shape, program.space, here)));
    read.operands.push_back(
        {std::as_bytes(std::span<const double>(read.cuts.back())), model::DataType::float64});
  }
  return read;
}

void ClientRun::run_whole(const ProgramPlan& program) {
  const int any =
      program.stores.empty() ? plan_.node(program.sinks.front()).args.front() : program.stores.front();
  const model::Region& here = plan_.region(any, client_);
  const Read read = this->read(program, here);
  std::vector<std::span<double>> rooms;
  for (const int store : program.stores)
    rooms.push_back(values_.of_client(client_, store).make(static_cast<std::size_t>(here.size())));
  std::vector<FusiblePartial*> partials;
  std::vector<std::unique_ptr<Partial>> own;  // of this block only
  for (const int sink : program.sinks) {
    const Node& node = plan_.node(sink);
    if (program.own_cells)
      own.push_back(static_cast<const Reduction*>(node.op)->start(call_within(node.call, {&here})));
    partials.push_back(
        static_cast<FusiblePartial*>(program.own_cells ? own.back().get() : &values_.partial(worker_, sink)));
  }
  const model::Region own_cells = program.own_cells ? from_zero(here) : model::Region();
  program.program->run(program.own_cells ? own_cells : here, read.operands, rooms, partials);
  for (std::size_t i = 0; i < own.size(); ++i) store(program.sinks[i], own[i]->finish());
}

void ClientRun::store(int node, const Array& result) {
  std::copy(result.values.begin(), result.values.end(),
            values_.of_client(client_, node).make(result.values.size()).begin());
}

ClientRun::Arguments ClientRun::arguments_of(const Node& op) const {
  Dims dims;
  model::Region here;
  for (const int arg : op.args) {
    if (!is_local(arg)) continue;
    dims = plan_.node(arg).shape.dims;
    here = plan_.region(arg, client_);
  }
  Arguments read;
  read.rooms.resize(op.args.size());
  for (const int arg : op.args) {
    const Value& source = values_.value(arg, client_);
    std::vector<double>& room = read.rooms[read.values.size()];
    const Shape& shape = plan_.node(arg).shape;
    read.regions.push_back(is_local(arg) ? plan_.region(arg, client_) : part_for(shape, dims, here));
    if (is_local(arg) || covers(shape, dims, here)) {
      read.values.push_back(source.doubles_in(room));
    } else {
      room = cut(source.as_doubles(), shape, read.regions.back());
      read.values.emplace_back(room);
    }
  }
  return read;
}

Array ClientRun::compute_kernel(int number, const Arguments& arguments) const {
  const auto blocks = arguments.at(arguments.regions);
  if (KernelRun* const run = runs_.find(plan_.members(number).front(), client_)) return run->compute(blocks);
  const Node& op = plan_.node(number);
  return static_cast<const Kernel*>(op.op)->start(op.call)->compute(blocks);
}

// A reduction that consumes no split dimension is complete within the block.
Array ClientRun::compute_own(const Node& op, const Arguments& arguments) const {
  std::vector<const model::Region*> blocks;
  std::vector<model::Region> zero;
  for (const model::Region& each : arguments.regions) {
    blocks.push_back(&each);
    zero.push_back(from_zero(each));
  }
  const auto partial = static_cast<const Reduction*>(op.op)->start(call_within(op.call, blocks));
  partial->begin_step(values_.tick.time);
  partial->add(arguments.at(zero));
  return partial->finish();
}

void ClientRun::run_op(int number) {
  const Node& op = plan_.node(number);
  if (const Absences lost = values_.absences(op.args, client_); !lost.empty()) return mark(number, lost);
  const Arguments arguments = arguments_of(op);
  if (op.kind == NodeKind::kernel)
    store(number, compute_kernel(number, arguments));
  else if (is_local(number))
    store(number, compute_own(op, arguments));
  else
    values_.partial(worker_, number).add(arguments.at(arguments.regions));
}

}  // namespace tailrace::analytics::engine::work
