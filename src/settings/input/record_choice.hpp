// `time` of a field of `input`: which records give its value at a model time.
#pragma once

#include "config/problems.hpp"
#include "config/value.hpp"
#include "input/options.hpp"

namespace tailrace::settings {

config::Option record_choice_option();
// Sets what `time` of the field's section gives.
void set_record_choice(const config::Value& section, input::FieldRequest& field, config::Problems& problems);

}  // namespace tailrace::settings
