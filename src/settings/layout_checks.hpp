// Checks of the options of a file that its layout rules out.
#pragma once

#include "config/problems.hpp"
#include "settings/output_entry.hpp"

namespace tailrace::settings {

// Adds a problem for each option that the layout has no place for, and for a format that cannot have it.
void check_layout(const OutputEntry& file, config::Problems& problems);

}  // namespace tailrace::settings
