// What a root computes in a phase from whole arrays.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "analytics/engine/work/step_values.hpp"

namespace tailrace::analytics::engine::work {

// Of kernels that remember, by node of the graph (not bundled). They outlive steps and plans.
using KernelRuns = std::map<int, std::unique_ptr<KernelRun>>;

// On a worker, after Exchange::collect(); nothing here waits or sends.
class RootRun {
 public:
  RootRun(StepValues& values, KernelRuns& runs) : values_(values), plan_(values.plan()), runs_(runs) {}

  void run(const planning::Stage& stage);

 private:
  void run_program(const planning::ProgramPlan& program);
  void run_whole(const planning::ProgramPlan& program);
  void run_op(int node);
  Array compute(int node, std::span<const ConstArray> arguments);

  StepValues& values_;
  const planning::Plan& plan_;
  KernelRuns& runs_;
};

}  // namespace tailrace::analytics::engine::work
