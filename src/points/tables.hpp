// Tables of stations and trajectories among the sources of a configuration.
#pragma once

#include <vector>

#include "calendar/calendar.hpp"
#include "config/problems.hpp"
#include "config/sources.hpp"
#include "points/stations.hpp"
#include "points/trajectories.hpp"

namespace tailrace::points {

// The tables that the configuration names, so that they are read with it.
std::vector<config::DataFile> tables_in(const std::vector<config::Node>& trees);

// Fills in the points from their table. Does nothing if they name none.
void read_table(Stations& stations, const config::Sources& sources, config::Problems& problems);
// The table is text or NetCDF. Dates are those of `calendar`.
void read_table(Trajectories& trajectories, const config::Sources& sources,
                const calendar::Calendar& calendar, config::Problems& problems);

// The table of these points. Null, with a problem, if it was not read.
const config::SourceFile* table_of(const PointSet& points, const config::Sources& sources,
                                   config::Problems& problems);

}  // namespace tailrace::points
