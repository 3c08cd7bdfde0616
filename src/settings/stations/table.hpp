// Tables of stations: text with commas between the values.
#pragma once

#include <string>
#include <vector>

#include "config/problems.hpp"
#include "config/reading/sources.hpp"
#include "settings/file.hpp"
#include "settings/stations/stations.hpp"

namespace tailrace::settings::stations {

// Reads the tables that the configuration names, so that they travel with it: adds them to `sources`. Throws
// Error(configuration) for one that cannot be read.
void add_tables(config::Sources& sources, const config::Node& tree, const config::Reader& reader);

// Fills in the stations of all files that have a table.
void read_tables(std::vector<FileEntry>& files, const config::Sources& sources, config::Problems& problems);

// Whether it is such a table, and not a part of the configuration itself.
bool is_table(const config::SourceFile& source, const std::vector<FileEntry>& files);

}  // namespace tailrace::settings::stations
