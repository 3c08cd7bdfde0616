// Completes one variable from the entry of a table.
#pragma once

#include "config/problems.hpp"
#include "mip_tables/table.hpp"
#include "settings/variable.hpp"

namespace tailrace::settings {

// Fills in the values of `variable.cmip->is`. If `scalars` is null, dimensions with a single value are
// recognised by their names (height2m, p500) and get no coordinate.
void fill_from_table(VariableEntry& variable, const mip_tables::ScalarCoordinates* scalars,
                     config::Problems& problems);

}  // namespace tailrace::settings
