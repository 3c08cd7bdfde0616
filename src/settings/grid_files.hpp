// The grids of files that `regrid: {to: {file: ...}}` names. One rank reads what the header says, and small
// coordinates; all ranks get this summary with the configuration.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/problems.hpp"
#include "config/sources.hpp"
#include "input/reader/file_header.hpp"
#include "regrid/options.hpp"

namespace tailrace::settings {

struct OutputEntry;

// The files that the trees name, with the summary of each as its text. Reads them in a process of its own;
// blocks. A file that cannot be read, or has no grid, is a problem.
std::vector<config::DataFile> grid_files(const std::vector<config::Node>& trees, config::Problems& problems);

// The grid of a file with this header: by its coordinates (CF), its mesh (UGRID), by the layout of SCRIP, or
// of HEALPix. Rows and columns of equal or unequal distance without bounds of their own become a LatLon.
// `values` reads all numbers of a variable. Throws Error(configuration) that says what was expected.
regrid::Target grid_of(const std::string& path, const input::FileHeader& header,
                       const std::function<std::vector<double>(const input::VariableHeader&)>& values);

// As JSON. `text` is that of summary_of. Throws Error(internal) for a text that is none.
std::string summary_of(const regrid::Target& target);
regrid::Target target_of(const std::string& summary);

// Replaces the targets that are files, in all entries, by what the summaries among the sources say.
void fill_in_grids(std::vector<OutputEntry>& files, const config::Sources& sources);

}  // namespace tailrace::settings
