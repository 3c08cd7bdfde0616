// The whole configuration: all sections that rooms registered, and what belongs to no room.
#pragma once

#include <vector>

#include "config/section.hpp"

namespace tailrace::settings {

// In the order of the reference page, which is also the order of their checks: a section may be checked
// against those before it. One that is registered but not listed comes at the end.
const std::vector<config::AnySection>& sections();
const config::Type& schema();

}  // namespace tailrace::settings
