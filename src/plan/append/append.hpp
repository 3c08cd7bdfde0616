// How a run continues files of earlier runs (`if_exists: append`), as pure functions of their contents.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "output/dataset.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// By axis of a file; empty for a file that is new.
using ContinuedAxes = std::vector<time::Continued>;

// The fill values of a file's variables, by name; empty for a file that is new.
using ExistingFills = std::map<std::string, model::FillValue>;

struct RecordsToKeep {
  ContinuedAxes axes;
  std::vector<std::string>
      dropped;  // a sentence each: the records that are dropped and why, and what is missing
};

// The records that are kept when a run begins at that time: those that end at or before it, except a last
// window that was cut off inside its period. `existing` comes from Format::existing_axes. Throws
// Error(configuration) if the times of the file do not match those of the run, or if the file lacks an axis.
RecordsToKeep records_to_keep(const DatasetPlan& file, const calendar::Calendar& calendar,
                              const model::Tick& begin,
                              const std::map<std::string, output::ExistingAxis>& existing);

// `continued` is by file of the plan, or empty if no file is continued.
void go_on(Plan& plan, const std::vector<ContinuedAxes>& continued);

}  // namespace tailrace::plan
