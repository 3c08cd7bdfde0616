// Documents that are made from a schema: the reference page for people and the JSON schema for editors.
#pragma once

#include <string>

#include "config/schema.hpp"

namespace tailrace::config::documents {

// Markdown: one heading an option, with its sentence, type, default, unit, first version and example, in the
// order of declaration. `introduction` comes first.
std::string reference_markdown(const Type& root, const std::string& introduction);

// JSON Schema, draft 2020-12, of the same schema.
std::string json_schema(const Type& root, const std::string& title);

}  // namespace tailrace::config::documents
