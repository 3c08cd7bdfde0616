// Which options of the model the text variables of a file hold.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/location.hpp"
#include "config/problems.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// The tables of a file that have entries. Adds their names to `names`, those of the file's variables so far,
// and tells `problems` of names that are taken and of tables without entries that are not optional.
std::vector<OptionTablePlan> plan_option_tables(const settings::OutputEntry& file,
                                                const std::map<std::string, std::string>& options,
                                                std::map<std::string, config::Location>& names,
                                                config::Problems& problems);

}  // namespace tailrace::plan
