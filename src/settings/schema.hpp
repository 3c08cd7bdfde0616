// The schema of the whole configuration: all registered sections, and the options that belong to no room.
#pragma once

#include <vector>

#include "config/section.hpp"

namespace tailrace::settings {

// In the order of the reference page, which is also the order of their checks: a section may be checked
// against those before it. Sections that are registered but not listed are last.
const std::vector<config::AnySection>& sections();
const config::Type& schema();

}  // namespace tailrace::settings
