// One variable and the entry of a table.
#pragma once

#include "config/problems.hpp"
#include "settings/tables/mip_table.hpp"
#include "settings/variable.hpp"

namespace tailrace::settings {

// Fills in what `variable.cmip->is` says. `scalars` may be null: then dimensions with one value are known by
// their names only (height2m, p500), and get no coordinate.
void fill_from_table(VariableEntry& variable, const MipScalars* scalars, config::Problems& problems);

}  // namespace tailrace::settings
