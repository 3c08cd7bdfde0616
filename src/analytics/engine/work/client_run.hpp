// A phase of a step for the blocks of one client.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analytics/engine/operator_state/kernel_runs.hpp"
#include "analytics/engine/work/step_values.hpp"

namespace tailrace::analytics::engine::work {

// Runs on a worker, and does not wait or send. A missing input or an operator that throws leaves a reason in
// place of the value, so that nothing waits for that value.
class ClientRun {
 public:
  // `client`: an index into the plan's clients. No other run may use the client or the worker's partials
  // meanwhile.
  ClientRun(StepValues& values, operator_state::KernelRuns& runs, std::size_t client, WorkerPartials& worker)
      : values_(values), plan_(values.plan()), runs_(runs), client_(client), worker_(worker) {}

  void run(const planning::Stage& stage);

 private:
  struct Read;       // the operands of a program, cut to the block
  struct Arguments;  // the arguments of an operator

  void run_program(const planning::ProgramPlan& program);
  void run_parts(const planning::ProgramPlan& program, bool several);
  void run_whole(const planning::ProgramPlan& program);
  Read read(const planning::ProgramPlan& program, const model::Region& here) const;
  void run_op(int node);
  Arguments arguments_of(const Node& op) const;
  Array compute_kernel(int node, const Arguments& arguments) const;
  Array compute_own(const Node& op, const Arguments& arguments) const;
  void mark(int node, const Absences& absences);
  void store(int node, const Array& result);

  bool is_local(int node) const { return plan_.place(node) == Place::local; }

  StepValues& values_;
  const planning::Plan& plan_;
  operator_state::KernelRuns& runs_;
  std::size_t client_;
  WorkerPartials& worker_;
};

}  // namespace tailrace::analytics::engine::work
