// Where the files of a plan stand in saved state.
#pragma once

#include "model/state.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// Sets `restored` of each file that the state knows, and `is_unsaved` of any other one.
void mark_restored(Plan& plan, const model::StateLoader& saved);

}  // namespace tailrace::plan
