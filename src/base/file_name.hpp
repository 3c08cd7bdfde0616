// Names of users as parts of file names.
#pragma once

#include <string>
#include <string_view>

namespace tailrace::base {

// The name as it is, with "/" and "%" as %2F and %25, so that it names no folder, and different names stay
// different.
std::string file_name_of(std::string_view name);

}  // namespace tailrace::base
