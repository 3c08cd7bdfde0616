// The same schema for editors: JSON Schema, draft 2020-12.
#pragma once

#include <string>

#include "config/schema.hpp"

namespace tailrace::config {

std::string json_schema(const Type& root, const std::string& title);

}  // namespace tailrace::config
