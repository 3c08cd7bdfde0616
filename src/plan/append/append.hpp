// How a run goes on with files that earlier runs left (`if_exists: append`): pure functions of what is in
// them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "output/dataset.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// By axis of a file; empty for a file that is new.
using ContinuedAxes = std::vector<time::Continued>;

struct Stays {
  ContinuedAxes axes;
  std::vector<std::string> dropped;  // a sentence each: what goes, and why; what is missing
};

// Which records stay when a run begins there: those that end at that time or before it, but for a last window
// that was cut off within its period. `existing`: as Format::existing_axes. Throws Error(configuration) where
// the times of the file are not those of the run, or it lacks an axis.
Stays records_that_stay(const DatasetPlan& file, const calendar::Calendar& calendar, const model::Tick& begin,
                        const std::map<std::string, output::ExistingAxis>& existing);

// `continued`: by file of the plan; none at all where no file goes on.
void go_on(Plan& plan, const std::vector<ContinuedAxes>& continued);

}  // namespace tailrace::plan
