// The part of `tailrace check` about the weights of regridding.
#pragma once

#include <string>

#include "plan/plan.hpp"
#include "settings/configuration.hpp"

namespace tailrace::session {

// A tree of lines: for each weights whether the cache has them, or they are to be made. Empty if nothing is
// regridded. Blocks. Throws Error(configuration) and Error(resource) about weights of others.
std::string preview_regridding(const settings::Configuration& configuration, const plan::Plan& plan);

}  // namespace tailrace::session
