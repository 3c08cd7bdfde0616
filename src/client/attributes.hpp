// Attributes that a model gives to what it declares, and their checks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/attributes.hpp"
#include "model/declarations.hpp"

namespace tailrace::client {

using NameComplaint = std::optional<std::string> (*)(std::string_view name);

// Throws Error(usage) for a name that Tailrace writes itself or that no file can hold, and for a value that
// does not fit. `owner` as messages name it; `type`: of the values that the attributes describe.
void check_attributes(const std::string& owner, const model::Attributes& attributes, model::DataType type,
                      NameComplaint name_complaint = &model::variable_attribute_complaint);
void check_field_attributes(const model::Field& field);

// Gives an attribute to a field, or, with an empty name of a field, to all files; a later value replaces it.
// Throws Error(usage), and leaves the declarations as they were, if it is refused or the field is unknown.
void set_attribute(model::Declarations& declarations, const std::string& field, const std::string& name,
                   const model::AttributeValue& value);

}  // namespace tailrace::client
