// Text with commas between the values, a row a line.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/problems.hpp"
#include "settings/stations/rows.hpp"

namespace tailrace::settings::stations {

// Gives `take` the cells of each line, until it returns false; empty lines and comments (#) are left out.
// Values in quotes may hold commas, and quotes as "". `name` of the file. False where a line is no UTF-8 (a
// problem at `path`) or take() was not satisfied.
bool read_rows(const std::string& name, std::string_view text, const std::string& path,
               config::Problems& problems, const std::function<bool(std::vector<Cell>&)>& take);

}  // namespace tailrace::settings::stations
