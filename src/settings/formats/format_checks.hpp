// Reports what the format of a file cannot do, or lacks.
#pragma once

#include "config/problems.hpp"
#include "settings/output_entry.hpp"

namespace tailrace::settings {

void check_format(const OutputEntry& file, config::Problems& problems);

}  // namespace tailrace::settings
