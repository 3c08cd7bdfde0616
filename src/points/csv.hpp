// Tables as text: one row in a line, with commas between the values.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/problems.hpp"
#include "points/rows.hpp"

namespace tailrace::points {

// Passes the cells of each line to `take` until it returns false. Empty lines and comments (#) are skipped.
// A value in quotes may contain commas, and quotes written as "". `name` is the name of the file. The result
// is false if a line is not UTF-8 (a problem at `path`), or if take() returned false.
bool read_rows(const std::string& name, std::string_view text, const std::string& path,
               config::Problems& problems, const std::function<bool(std::vector<Cell>&)>& take);

}  // namespace tailrace::points
