// The section `input`: fields that the servers read ahead for the model from files of other programs.
#pragma once

#include "config/section.hpp"
#include "input/options.hpp"

namespace tailrace::settings {

// Checks that names of fields are unique over all entries, and that dates are asked for only with a calendar.
config::Section<input::Options> input_section();

}  // namespace tailrace::settings
