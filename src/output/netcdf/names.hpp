// Names of the files around a dataset.
#pragma once

#include <string>

namespace tailrace::output::netcdf {

// Where a file is built before it takes its name: beside it, hidden. A killed creation leaves it; the next
// replaces it.
std::string name_while_created(const std::string& path);

}  // namespace tailrace::output::netcdf
