// The data files that a configuration names, besides the files that it includes.
#pragma once

#include <vector>

#include "config/sources.hpp"
#include "env/file_system.hpp"

namespace tailrace::settings {

// The tables of points, the files under `names`, the tables of MIPs that variables ask for, and the grids of
// files to which variables are regridded.
std::vector<config::DataFile> data_files(const std::vector<config::Node>& trees, const env::FileSystem& files,
                                         config::Problems& problems);

}  // namespace tailrace::settings
