// From checked values to the plain structs of configuration.hpp.
#pragma once

#include "config/problems.hpp"
#include "config/value.hpp"
#include "session/configuration.hpp"

namespace tailrace::session {

// Takes what is there (after mistakes of form the tree has holes) and adds the mistakes that only show
// between options.
Configuration configuration_of(const config::Value& root, config::Problems& problems);

// The part of it under `operators`.
std::vector<analytics::user::Declaration> operators_of(const config::Value& value,
                                                       config::Problems& problems);

}  // namespace tailrace::session
