// Options of files in any format.
#pragma once

#include <string>
#include <string_view>

#include "config/schema.hpp"
#include "config/value.hpp"
#include "output/format.hpp"

namespace tailrace::output {

config::Option format_option();  // `format`: those that registered

config::Option attributes_option(const std::string& says);  // `attributes` of a file
// The same with `coordinates`, which some layouts of files let the user give.
config::Option field_attributes_option(const std::string& says);
config::Option variable_attributes_option(const std::string& says);  // of a variable: some names are CF's
config::Option time_attributes_option(const std::string& says);      // `time_attributes`: of time coordinates
Attributes attributes_of(const config::Value& section, std::string_view option = "attributes");

}  // namespace tailrace::output
