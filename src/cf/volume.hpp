// A description of the size of a plan's files: chunks, and bytes per model time.
#pragma once

#include <optional>
#include <string>

#include "model/declarations.hpp"
#include "plan/plan.hpp"

namespace tailrace::cf {

struct Speed {  // of a previous run, per second of wall-clock time
  double model_seconds = 0.0;
  double steps = 0.0;
};

// A tree of lines; empty if there is no file. Sizes are without compression and without data that are written
// once. The length of a step is known only from `speed`: without it, the size of records in steps is given
// per 1000 steps.
std::string describe_volume(const plan::Plan& plan, const settings::Configuration& configuration,
                            const model::Declarations& declarations, const std::optional<Speed>& speed);

}  // namespace tailrace::cf
