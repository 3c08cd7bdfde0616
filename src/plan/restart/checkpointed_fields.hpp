// The option `checkpoint.fields`: the fields of the model in a checkpoint.
#pragma once

#include "config/problems.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// Marks them in the plan. A name or pattern that matches no declared field is a problem, and so is a field
// that cannot be saved: a fixed field, which the model puts again, or a contribution to a partial grid.
void mark_kept_fields(const settings::Configuration& configuration, const model::Declarations& declarations,
                      Plan& plan, config::Problems& problems);

}  // namespace tailrace::plan
