// `groups:`, names for lists of fields.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/section.hpp"
#include "settings/fields.hpp"

namespace tailrace::settings {

using Groups = std::map<std::string, std::vector<ListedName>>;

// Checks that what they name is listed.
config::Section<Groups> groups_section();

}  // namespace tailrace::settings
