// What the configuration says of files in any format.
#pragma once

#include <string>

#include "config/schema.hpp"
#include "config/value.hpp"
#include "output/dataset.hpp"

namespace tailrace::output {

config::Option format_option();  // `format`: those that registered

config::Option attributes_option(const std::string& says);           // `attributes` of a file
config::Option variable_attributes_option(const std::string& says);  // of a variable: some names are CF's
Attributes attributes_of(const config::Value& section);

}  // namespace tailrace::output
