// The clock against which a component reads the model's times: the grids of all that its plan makes at times.
#pragma once

#include "plan/plan.hpp"
#include "time/clock.hpp"

namespace tailrace::plan {

// The same on every client and server. It continues from the saved state with which the plan was marked
// (restart/restored.hpp). `calendar` is that of the plan, and must live longer.
time::Clock make_clock(const Plan& plan, const calendar::Calendar& calendar, const model::Tick& begin);

}  // namespace tailrace::plan
