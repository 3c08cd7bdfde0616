// Which names the formats of datasets can hold. They are netCDF's rules, the strictest among them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tailrace::model {

// What is wrong with the name of a dimension, variable or attribute, if anything: `begins with " "; ...`.
std::optional<std::string> name_complaint(std::string_view name);

// The same of an attribute that a user or a model gives: besides, names by which HDF5 and netCDF keep notes
// of their own. An attribute of the user's in their place makes files that no reader opens.
std::optional<std::string> attribute_name_complaint(std::string_view name);

}  // namespace tailrace::model
