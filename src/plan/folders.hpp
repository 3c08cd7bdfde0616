// Looks, for `tailrace check`, whether a run could create its files where the configuration puts them.
#pragma once

#include <string>
#include <vector>

#include "env/file_system.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// A warning, with the line of the option, for each folder that a run would not find or could not make. The
// job may see other folders than the node of `check`, so these are no errors. Names with `{...}` are left
// out.
std::vector<std::string> folder_warnings(const settings::Configuration& configuration,
                                         const env::FileSystem& files);

}  // namespace tailrace::plan
