// A field of an entry of `input`: which variable it is, and how its values become those of the model.
#pragma once

#include "config/problems.hpp"
#include "config/value.hpp"
#include "input/options.hpp"

namespace tailrace::settings {

config::Type input_field_type();
input::FieldRequest input_field_of(const config::ValueEntry& entry, config::Problems& problems);

}  // namespace tailrace::settings
