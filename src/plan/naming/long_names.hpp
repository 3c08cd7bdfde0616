// Names that are too long for the format of their file.
#pragma once

#include <map>
#include <string>

#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

// Adds a problem for each name of the file that is longer than its format allows. `names`: of the variables,
// with their places in the configuration. Also the names that are made of those of coordinates, axes and
// meshes.
void refuse_long_names(const DatasetPlan& file, const model::Declarations& declarations,
                       const std::map<std::string, config::Location>& names, config::Problems& problems);

}  // namespace tailrace::plan
