// `checkpoint.fields`: which fields of the model belong to a checkpoint.
#pragma once

#include "config/problems.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// Marks them in the plan. A problem for each name or pattern that no declared field has, and for fields that
// cannot be kept: fixed ones, which a model puts again, and contributions to partial grids.
void mark_kept_fields(const settings::Configuration& configuration, const model::Declarations& declarations,
                      Plan& plan, config::Problems& problems);

}  // namespace tailrace::plan
