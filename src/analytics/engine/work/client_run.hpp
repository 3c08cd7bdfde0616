// A phase of a step for the blocks of one client.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analytics/engine/operator_state/kernel_runs.hpp"
#include "analytics/engine/work/step_values.hpp"

namespace tailrace::analytics::engine::work {

// On a worker; nothing here waits or sends. What is missing, or an operator that throws, leaves a reason in
// the place of a value: nobody who needs that value waits for it.
class ClientRun {
 public:
  // `client` counts the plan's. While it runs, no other run uses its client or its lane.
  ClientRun(StepValues& values, memories::KernelRuns& runs, std::size_t client, Lane& lane)
      : values_(values), plan_(values.plan()), runs_(runs), client_(client), lane_(lane) {}

  void run(const planning::Stage& stage);

 private:
  struct Read;       // what a program reads, cut to the block
  struct Arguments;  // what an operator reads

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
  memories::KernelRuns& runs_;
  std::size_t client_;
  Lane& lane_;
};

}  // namespace tailrace::analytics::engine::work
