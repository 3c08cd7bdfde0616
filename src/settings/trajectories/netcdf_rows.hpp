// Trajectories in NetCDF, as CF describes them (discrete sampling geometries), as the rows of a table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "config/reading/sources.hpp"
#include "settings/stations/rows.hpp"

namespace tailrace::settings::trajectories {

// Whether the file is one of netCDF, of any form.
bool is_netcdf(const config::SourceFile& source);

// Gives `take` the names of the columns (time, trajectory where there are several, latitude and longitude or
// the variables with axis X and Y, and `vertical` where that is not empty and there), then each position, in
// the order of the file, until it returns false. Times become seconds of model time; positions of which
// something is missing are left out. The line of a cell is the number of its position, from 1.
// Takes one trajectory (H.4), those of a common dimension (H.4.1), and both ragged forms (H.4.3, H.4.4).
// Throws Error(resource) for what is none of these.
void read_netcdf_rows(const config::SourceFile& source, const std::string& vertical,
                      const calendar::Calendar& calendar,
                      const std::function<bool(std::vector<stations::Cell>&)>& take);

}  // namespace tailrace::settings::trajectories
