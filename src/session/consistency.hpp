// What can be said about a configuration as a whole before any model is known.
#pragma once

#include <string>
#include <vector>

#include "config/problems.hpp"
#include "session/configuration.hpp"

namespace tailrace::session {

// Names that lead nowhere, fields listed twice, periods that the calendar cannot give, two files under one
// path. Values that hold an unfilled `{name}` are passed over, and so are names under a part that is itself
// wrong.
void check_consistency(const Configuration& configuration, config::Problems& problems);

// The hint about a name that is not among the `known` fields; finds `scalar.vwp` for `vwp`, too.
std::string field_hint(const std::string& name, const std::vector<std::string>& known);

}  // namespace tailrace::session
