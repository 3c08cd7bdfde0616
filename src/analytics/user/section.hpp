// The section `operators` of a configuration.
#pragma once

#include <vector>

#include "analytics/user/declaration.hpp"
#include "config/section.hpp"

namespace tailrace::analytics::user {

config::Section<std::vector<Declaration>> section();

}  // namespace tailrace::analytics::user
