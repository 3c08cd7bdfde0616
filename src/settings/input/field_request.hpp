// A field of an entry of `input`: which variable it is, and how its values become those of the model.
#pragma once

#include <optional>
#include <string>

#include "config/problems.hpp"
#include "config/value.hpp"
#include "input/options.hpp"

namespace tailrace::settings {

config::Type input_field_type();
// `of_entry`: how all fields of the entry are regridded that say nothing of it; null: not at all.
input::FieldRequest input_field_of(const config::ValueEntry& entry,
                                   const std::optional<input::RegridRequest>& of_entry,
                                   config::Problems& problems);

// `regrid` of an entry or a field.
config::Option input_regrid_option(const std::string& whose);
std::optional<input::RegridRequest> input_regrid_of(const config::Value& section, config::Problems& problems);

}  // namespace tailrace::settings
