// `files` and `source` of an entry of `input`: where its records come from.
#pragma once

#include <vector>

#include "config/problems.hpp"
#include "config/value.hpp"
#include "input/options.hpp"

namespace tailrace::settings {

std::vector<config::Option> input_source_options();
void set_input_source(const config::Value& section, input::Entry& entry, config::Problems& problems);

}  // namespace tailrace::settings
