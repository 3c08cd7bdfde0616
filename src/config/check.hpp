// From YAML to checked values.
#pragma once

#include <string>

#include "config/node.hpp"
#include "config/problems.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"

namespace tailrace::config {

struct CheckOptions {
  bool allow_open = false;  // values that hold an unfilled `{name}` pass unchecked
};

// Checks everything and goes on after each mistake, so that `problems` holds all of them. What was wrong is
// left out of the result, which must be used only if no problem was added.
Value check(const Node& node, const Type& type, const std::string& path, const CheckOptions& options,
            Problems& problems);

}  // namespace tailrace::config
