// Checks that the names of files can be formed and that no two files have the same name.
#pragma once

#include <vector>

#include "config/section.hpp"
#include "settings/output_entry.hpp"

namespace tailrace::settings {

void check_file_names(const std::vector<OutputEntry>& files, const config::Sections& all,
                      config::Problems& problems);

}  // namespace tailrace::settings
