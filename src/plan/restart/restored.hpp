// The positions of the files of a plan in saved state.
#pragma once

#include "model/state.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// Sets `restored` of each file in the state, `is_unsaved` of all others, and `clock` if the state has it.
void mark_restored(Plan& plan, const model::StateLoader& saved);

}  // namespace tailrace::plan
