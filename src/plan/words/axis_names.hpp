// What the time axes of a file are called.
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace tailrace::plan {

// `time` where there is one; else each has its period in its name, unless the user wishes another.
void name_axes(std::vector<AxisPlan>& axes);

}  // namespace tailrace::plan
