// Tables of stations and trajectories: text with commas between the values.
#pragma once

#include <string>
#include <vector>

#include "config/problems.hpp"
#include "config/reading/sources.hpp"
#include "settings/output_entry.hpp"
#include "settings/stations/stations.hpp"

namespace tailrace::settings::stations {

// The tables that the configuration names, so that they travel with it.
std::vector<config::DataFile> tables_in(const std::vector<config::Node>& trees);

// That of these places; null, and a problem, where it was not read.
const config::SourceFile* table_of(const PointSet& points, const config::Sources& sources,
                                   config::Problems& problems);

// Fills in the stations of all files that have a table.
void read_tables(std::vector<OutputEntry>& files, const config::Sources& sources, config::Problems& problems);

}  // namespace tailrace::settings::stations
