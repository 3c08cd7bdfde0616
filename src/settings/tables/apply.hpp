// What tables say of the variables that name one of theirs.
#pragma once

#include "config/problems.hpp"
#include "config/reading/sources.hpp"
#include "settings/configuration.hpp"

namespace tailrace::settings {

// Fills in names, attributes, types, operations and periods, after all sections are read. Of a group or
// pattern it makes a variable for each field. What a variable gives itself and the table says otherwise is a
// problem with both, and so is a table or variable that is not there.
void apply_tables(Configuration& configuration, const config::Sources& sources, config::Problems& problems);

}  // namespace tailrace::settings
