// The output of the engine at the end of a step.
#pragma once

#include <vector>

#include "analytics/engine.hpp"
#include "analytics/engine/work/step_values.hpp"

namespace tailrace::analytics::engine::work {

// Collects the values of diagnostics on this server: blocks of its clients, and whole arrays of which it is
// the root. A value that is due but absent gives a gap with a reason.
class ResultWriter {
 public:
  explicit ResultWriter(const StepValues& values) : values_(values), plan_(values.plan()) {}

  StepResults write();
  std::vector<Failure> take_failures() { return std::move(failures_); }  // once, after write()

 private:
  void tell_thrown();
  void give(int diagnostic, int client, const Value& value, planning::Bundled::Position position);
  bool depends(int node, int on) const;  // nodes of the original graph

  const StepValues& values_;
  const planning::Plan& plan_;
  StepResults results_;
  std::vector<Failure> failures_;
};

}  // namespace tailrace::analytics::engine::work
