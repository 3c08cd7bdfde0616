// From YAML to checked values.
#pragma once

#include <string>

#include "config/node.hpp"
#include "config/problems.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"

namespace tailrace::config {

struct CheckOptions {
  bool allow_open = false;  // do not check values with a `{name}` that is not filled in
};

// Checks everything and continues after each mistake, so that `problems` gets all of them. Wrong values are
// left out of the result, which must be used only if no problem was added.
Value check(const Node& node, const Type& type, const std::string& path, const CheckOptions& options,
            Problems& problems);

}  // namespace tailrace::config
