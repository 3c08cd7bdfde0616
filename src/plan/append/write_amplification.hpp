// Configurations that write much more than the values of the model: what a commit brings, and a word for
// those who ask.
#pragma once

#include <optional>

#include "plan/plan.hpp"

namespace tailrace::plan::writing {

// How many records of a variable come with a commit, at least 1, for a commit waits for one. Nothing where
// only the run tells: periods of different kinds, and small commits that wait for each other.
std::optional<double> records_per_commit(const DatasetPlan& file, const VariablePlan& variable);

// Adds to the plan's details a line for each file whose `write_every` makes commits that bring little beside
// the headers that each of them copies, or leaves compressed chunks partly filled.
void tell_waste(const model::Declarations& declarations, Plan& plan);

}  // namespace tailrace::plan::writing
