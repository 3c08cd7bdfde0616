// Names of the files around a dataset.
#pragma once

#include <string>

namespace tailrace::output::netcdf {

// The hidden name, in the same directory, under which a file is created before it is renamed. A creation that
// is killed leaves this file behind; the next one replaces it.
std::string name_while_created(const std::string& path);

}  // namespace tailrace::output::netcdf
