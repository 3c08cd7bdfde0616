// The computation of a root in a phase, from whole arrays.
#pragma once

#include "analytics/engine/operator_state/kernel_runs.hpp"
#include "analytics/engine/work/step_values.hpp"

namespace tailrace::analytics::engine::work {

// Runs on a worker, after Exchange::collect(), and does not wait or send.
class RootRun {
 public:
  RootRun(StepValues& values, operator_state::KernelRuns& runs)
      : values_(values), plan_(values.plan()), runs_(runs) {}

  void run(const planning::Stage& stage);

 private:
  void run_program(const planning::ProgramPlan& program);
  void run_whole(const planning::ProgramPlan& program);
  void run_op(int node);
  Array compute(int node, std::span<const ConstArray> arguments);

  StepValues& values_;
  const planning::Plan& plan_;
  operator_state::KernelRuns& runs_;
};

}  // namespace tailrace::analytics::engine::work
