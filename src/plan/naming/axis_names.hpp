// The names of the time axes of a file.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tailrace::plan {

// The name of one window of an axis with a cycle.
std::string word_of_turn(const AxisPlan& axis);

// `time` if there is one axis; otherwise each name contains the period, unless the user gives another name.
void name_axes(std::vector<AxisPlan>& axes);

}  // namespace tailrace::plan
