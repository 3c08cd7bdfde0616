// The options of the model in the text variables of a file.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/location.hpp"
#include "config/problems.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// The tables of a file that have entries. Adds their names to `names`, which has those of the file's
// variables. A name that is taken is a problem, and so is an empty table that is not optional.
std::vector<OptionTablePlan> plan_option_tables(const settings::OutputEntry& file,
                                                const std::map<std::string, std::string>& options,
                                                std::map<std::string, config::Location>& names,
                                                config::Problems& problems);

}  // namespace tailrace::plan
