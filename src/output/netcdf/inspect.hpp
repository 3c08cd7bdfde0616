// Reports the state of a NetCDF file after its run has ended, and repairs it.
#pragma once

#include <string>

namespace tailrace::output::netcdf {

struct Inspection {
  bool readable = false;  // by any stock reader, now
  bool repaired = false;  // this call changed the file
  std::string report;     // one line for the user, which begins with the path
};

// Does not throw for a damaged file. `repair`: completes an interrupted commit from its journal, or truncates
// what an incomplete commit left after the end. Does not change a file that a running session is writing.
Inspection inspect(const std::string& path, bool repair);

}  // namespace tailrace::output::netcdf
