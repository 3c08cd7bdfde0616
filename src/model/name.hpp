// The names that all formats of datasets accept. The rules are netCDF's, the strictest of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tailrace::model {

// Returns what is wrong with the name of a dimension, variable or attribute, if anything: `begins with " ";
// ...`.
std::optional<std::string> name_complaint(std::string_view name);

// The same for an attribute that a user or a model gives, which must not have a name that HDF5 and netCDF use
// internally either: no reader opens a file in which such an attribute was replaced.
std::optional<std::string> attribute_name_complaint(std::string_view name);

}  // namespace tailrace::model
