// What state a NetCDF file is in after its run has ended, in whatever way, and how to make it whole again.
#pragma once

#include <string>

namespace tailrace::output::netcdf {

struct Inspection {
  bool readable = false;  // now, by any stock reader
  bool repaired = false;  // this call changed the file
  std::string report;     // one line that begins with the path; for a person
};

// Never throws for what is wrong with the file. `repair`: finishes a commit that was cut off, and cuts off
// what an unfinished one left behind the end. A file that a running session still writes is left alone.
Inspection inspect(const std::string& path, bool repair);

}  // namespace tailrace::output::netcdf
