#include "plan/naming/axis_names.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace tailrace::plan {
namespace {

// Windows, and axes that the user names, keep their names first.
void take_wishes(std::vector<AxisPlan>& axes) {
  std::set<std::string> taken;
  for (const bool windows : {true, false})
    for (AxisPlan& axis : axes) {
      if (axis.wish.empty() || time::is_windowed(axis.kind) != windows) continue;
      axis.dim = axis.wish;
      if (taken.contains(axis.dim) && !windows) axis.dim += "_instant";
      for (int number = 2; !taken.insert(axis.dim).second; ++number)
        axis.dim = fmt::format("{}_{}", axis.wish, number);
    }
}

}  // namespace

std::string word_of_turn(const AxisPlan& axis) {
  if (axis.cycle == time::Cycle::day) return "hour";
  return axis.every.count() == 1 ? "month" : "season";
}

void name_axes(std::vector<AxisPlan>& axes) {
  take_wishes(axes);
  if (axes.size() == 1) {
    if (axes.front().dim.empty()) axes.front().dim = "time";
    return;
  }
  const auto plain_name = [](const AxisPlan& axis) {
    if (axis.kind == time::AxisKind::at_end) return std::string("time_at_end");
    if (axis.cycle != time::Cycle::none) return "time_each_" + word_of_turn(axis);
    return (axis.kind == time::AxisKind::instant ? "time_instant_" : "time_") + axis.every.name();
  };
  std::map<std::string, int> uses;
  for (const AxisPlan& axis : axes) ++uses[axis.dim.empty() ? plain_name(axis) : axis.dim];
  for (AxisPlan& axis : axes) {
    if (!axis.dim.empty()) continue;
    axis.dim = plain_name(axis);
    if (uses[axis.dim] > 1) axis.dim.append("_").append(axis.cadence.name());
  }
}

}  // namespace tailrace::plan
