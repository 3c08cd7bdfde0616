// The state of a NetCDF file after its run has ended, and its repair.
#pragma once

#include <string>

#include "output/format.hpp"

namespace tailrace::output::netcdf {

// Never throws for what is wrong with the file. `repair`: finishes a commit that was cut off, and cuts off
// what an unfinished one left behind the end. A file that a running session still writes is left alone.
Inspection inspect(const std::string& path, bool repair);

}  // namespace tailrace::output::netcdf
