// What the time axes of a file are called.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tailrace::plan {

// What one window of an axis with a cycle is.
std::string word_of_turn(const AxisPlan& axis);

// `time` where there is one; else each has its period in its name, unless the user wishes another.
void name_axes(std::vector<AxisPlan>& axes);

}  // namespace tailrace::plan
