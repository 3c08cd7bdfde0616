// Describes what a declared run would put, record and commit, step by step, and what its servers would hold:
// the input of `tailrace plan`. The clocks of the plan itself are advanced, without a model, a server or a
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "plan/plan.hpp"

namespace tailrace::session {

struct RunToSize {
  std::int64_t steps = 0;     // at least 1
  double step_seconds = 0.0;  // of model time; positive
  int ranks = 1;              // of the model
  std::vector<int> servers;   // numbers of dedicated servers whose memory is described
};

// JSON; include/tailrace/tailrace.hpp describes it. `declarations`: those of the plan, whose first
// `model_fields` fields are the model's. A pure function.
std::string workload_json(const settings::Configuration& configuration, const plan::Plan& plan,
                          const model::Declarations& declarations, std::size_t model_fields,
                          const RunToSize& run);

}  // namespace tailrace::session
