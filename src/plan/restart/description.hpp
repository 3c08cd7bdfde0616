// What a run and the one that it goes on from must have in common, in words that a checkpoint keeps.
#pragma once

#include <map>
#include <string>

#include "plan/plan.hpp"

namespace tailrace::plan {

// By what is described: `model_time`, `grid NAME`, `field NAME`, `file PATH`.
std::map<std::string, std::string> describe_for_restart(const Plan& plan,
                                                        const model::Declarations& declarations);

// `saved`: the same of the run before. Output may be added or ended, and fields may come and go. Throws
// Error(configuration) with all that differs: a field, a grid, the count of time, the variables of a file
// that goes on, with the place of the file.
void check_restart(const std::map<std::string, std::string>& saved, const Plan& plan,
                   const model::Declarations& declarations);

}  // namespace tailrace::plan
