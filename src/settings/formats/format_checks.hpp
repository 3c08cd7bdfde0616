// What the format of a file cannot do, or lacks.
#pragma once

#include "config/problems.hpp"
#include "settings/file.hpp"

namespace tailrace::settings {

void check_format(const FileEntry& file, config::Problems& problems);

}  // namespace tailrace::settings
