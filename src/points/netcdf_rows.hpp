// Trajectories in NetCDF, in the forms of CF's discrete sampling geometries, read as the rows of a table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "config/sources.hpp"
#include "points/rows.hpp"

namespace tailrace::points {

// True for netCDF files of any form.
bool is_netcdf(const config::SourceFile& source);

// Passes the names of the columns to `take`, then each position in the order of the file, until it returns
// false. The columns are time, trajectory (if there are several), latitude and longitude or the variables
// with axis X and Y, and `vertical` (if it is not empty and in the file). Times become seconds of model time.
// Positions with a missing value are skipped. The line of a cell is the number of its position, from 1.
// Reads a single trajectory (H.4), trajectories along a common dimension (H.4.1), and both ragged forms
// (H.4.3, H.4.4). Throws Error(resource) for any other file.
void read_netcdf_rows(const config::SourceFile& source, const std::string& vertical,
                      const calendar::Calendar& calendar,
                      const std::function<bool(std::vector<Cell>&)>& take);

}  // namespace tailrace::points
