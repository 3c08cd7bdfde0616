// Reports the state of a NetCDF file after its run has ended, and repairs it.
#pragma once

#include <string>

#include "output/format.hpp"

namespace tailrace::output::netcdf {

// Does not throw for a damaged file. `repair`: completes an interrupted commit from its journal, or truncates
// what an incomplete commit left after the end, and then encodes chunks that lie raw. Does not change a file
// that a running session is writing.
Inspection inspect(const std::string& path, bool repair);

// A repair without the encoding, for a session that will write the file.
Inspection finish_last_commit(const std::string& path);

}  // namespace tailrace::output::netcdf
