// Finds where an option is given, for messages about what only a running job can find out.
#pragma once

#include <string>

#include "config/sources.hpp"

namespace tailrace::settings {

// "run.yaml:3:12  servers.report_directory" for the option with this path; the path alone where no file in
// YAML gives it.
std::string option_at_its_place(const config::Sources& sources, const std::string& option);

}  // namespace tailrace::settings
