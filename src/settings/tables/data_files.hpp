// The files that a configuration names beside those that it includes.
#pragma once

#include <vector>

#include "config/reading/sources.hpp"
#include "env/file_system.hpp"

namespace tailrace::settings {

// Tables: of those under `cmip.tables` the ones that variables ask for, with their coordinates. A table that
// is not there is a problem with the nearest known name. And the files under `names`, and the tables of
// stations.
std::vector<config::DataFile> data_files(const std::vector<config::Node>& trees, const env::FileSystem& files,
                                         config::Problems& problems);

}  // namespace tailrace::settings
