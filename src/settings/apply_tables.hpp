// Completes the variables that name a variable of a MIP's table.
#pragma once

#include "config/problems.hpp"
#include "config/sources.hpp"
#include "settings/configuration.hpp"

namespace tailrace::settings {

// Fills in names, attributes, types, operations and periods, after all sections are read. A group or pattern
// becomes a variable for each field. A value of the variable that contradicts the table is a problem with
// both places, and so is a table or variable that does not exist.
void apply_tables(Configuration& configuration, const config::Sources& sources, config::Problems& problems);

}  // namespace tailrace::settings
