// The reference page of a schema.
#pragma once

#include <string>

#include "config/schema.hpp"

namespace tailrace::config {

// Markdown: one heading an option, with its sentence, type, default, unit, first version and example, in the
// order of declaration. `introduction` comes first.
std::string reference_markdown(const Type& root, const std::string& introduction);

}  // namespace tailrace::config
