// Describes what a run and its continuation must have in common, as texts that a checkpoint contains.
#pragma once

#include <map>
#include <string>

#include "plan/plan.hpp"

namespace tailrace::plan {

// The keys are `model_time`, `grid NAME`, `field NAME`, `file PATH`.
std::map<std::string, std::string> describe_for_restart(const Plan& plan,
                                                        const model::Declarations& declarations);

// `saved` is the description of the previous run. Files and fields may be added or removed. Throws
// Error(configuration) with everything that differs: a field, a grid, the model time, or the variables of a
// file that continues, with the place of the file.
void check_restart(const std::map<std::string, std::string>& saved, const Plan& plan,
                   const model::Declarations& declarations);

}  // namespace tailrace::plan
