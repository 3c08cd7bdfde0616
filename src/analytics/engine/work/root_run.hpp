// What a root computes in a phase from whole arrays.
#pragma once

#include "analytics/engine/operator_state/kernel_runs.hpp"
#include "analytics/engine/work/step_values.hpp"

namespace tailrace::analytics::engine::work {

// On a worker, after Exchange::collect(); nothing here waits or sends.
class RootRun {
 public:
  RootRun(StepValues& values, memories::KernelRuns& runs)
      : values_(values), plan_(values.plan()), runs_(runs) {}

  void run(const planning::Stage& stage);

 private:
  void run_program(const planning::ProgramPlan& program);
  void run_whole(const planning::ProgramPlan& program);
  void run_op(int node);
  Array compute(int node, std::span<const ConstArray> arguments);

  StepValues& values_;
  const planning::Plan& plan_;
  memories::KernelRuns& runs_;
};

}  // namespace tailrace::analytics::engine::work
