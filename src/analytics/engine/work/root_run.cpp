#include "analytics/engine/work/root_run.hpp"

#include <algorithm>

#include "analytics/engine/work/regions.hpp"

namespace tailrace::analytics::engine::work {
namespace {

constexpr std::size_t at_root = StepValues::at_root;

}  // namespace

void RootRun::run(const planning::Stage& stage) {
  for (const planning::ProgramPlan& program : stage.programs) run_program(program);
  for (const int op : stage.ops) {
    try {
      run_op(op);
    } catch (const std::exception& error) {
      const std::string why = values_.failed(op, error);
      Absences all;
      for (std::size_t m = 0; m < plan_.members(op).size(); ++m) all.push_back({static_cast<int>(m), why});
      values_.global(op).absent(all);
    }
  }
}

void RootRun::run_program(const planning::ProgramPlan& program) {
  const auto& sources = program.sources;
  const bool all = std::all_of(sources.begin(), sources.end(),
                               [&](int node) { return values_.value(node, at_root).whole(); });
  const bool several = plan_.several(program.stores.front());
  const bool numbers = std::all_of(sources.begin(), sources.end(),
                                   [&](int node) { return values_.value(node, at_root).present; });
  if (all || (several && numbers)) run_whole(program);
  if (all) return;
  // Node by node: there are few, they are small, and each may lack other inputs.
  for (std::size_t i = 0; i < program.stores.size(); ++i) {
    const Absences lost = values_.absences(program.needs[i], at_root);
    add(values_.global(program.stores[i]).absences, lost);
    if (!several && lost.empty()) run_whole(planning::part(plan_.bundled().graph, program, i));
  }
}

void RootRun::run_whole(const planning::ProgramPlan& program) {
  std::vector<Operand> operands;
  for (const int number : program.sources) {
    const Value& source = values_.value(number, at_root);
    operands.push_back({source.bytes, source.type});
  }
  std::vector<std::span<double>> rooms;
  for (const int store : program.stores)
    rooms.push_back(values_.global(store).make(static_cast<std::size_t>(plan_.node(store).shape.size())));
  program.program->run(whole_region({program.space, {}}), operands, rooms, {});
}

void RootRun::run_op(int number) {
  const Node& op = plan_.node(number);
  Value& target = values_.global(number);
  add(target.absences, values_.absences(op.args, at_root));
  if (!target.absences.empty() && !plan_.several(number)) return;
  std::vector<std::vector<double>> rooms(op.args.size());
  std::vector<std::span<const double>> values;
  std::vector<model::Region> regions;
  for (const int arg : op.args) {
    values.push_back(values_.value(arg, at_root).doubles_in(rooms[values.size()]));
    regions.push_back(whole_region(plan_.node(arg).shape));
  }
  std::vector<ConstArray> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) arguments.push_back({&regions[i], values[i]});
  const Array result = compute(number, arguments);
  std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
}

Array RootRun::compute(int number, std::span<const ConstArray> arguments) {
  const Node& op = plan_.node(number);
  if (op.kind == NodeKind::reduction) {
    const auto partial = static_cast<const Reduction*>(op.op)->start(op.call);
    partial->begin_step(values_.tick.time);
    partial->add(arguments);
    return partial->finish();
  }
  if (KernelRun* const run = runs_.find(plan_.members(number).front(), at_root))
    return run->compute(arguments);
  return static_cast<const Kernel*>(op.op)->start(op.call)->compute(arguments);
}

}  // namespace tailrace::analytics::engine::work
