// The files of tables that a configuration needs.
#pragma once

#include <vector>

#include "config/sources.hpp"
#include "env/file_system.hpp"

namespace tailrace::mip_tables {

// The tables under `cmip.tables` that variables ask for, and their tables of coordinates. A table that does
// not exist is a problem with the nearest known name. If the configuration names no tables at all, the result
// is empty: filling in the variables reports that.
std::vector<config::DataFile> table_files(const std::vector<config::Node>& trees,
                                          const env::FileSystem& files, config::Problems& problems);

}  // namespace tailrace::mip_tables
