// Names of variables and dimensions in a file.
#pragma once

#include <optional>
#include <string>

#include "config/schema.hpp"

namespace tailrace::output {

config::Type variable_name_type();
config::Type suffix_type();  // may start with a digit

// The error for an invalid name, if any.
std::optional<std::string> variable_name_complaint(const std::string& name);

}  // namespace tailrace::output
