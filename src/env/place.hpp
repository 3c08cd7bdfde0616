// Where a path leads.
#pragma once

#include <string>

namespace tailrace::env {

// The path from the root and without links, as far as its folders exist: two paths of one file lead to the
// same place. If the system cannot tell, the path itself, from the root and without `.` and `..`.
std::string place_of(const std::string& path);

}  // namespace tailrace::env
