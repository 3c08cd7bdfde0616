// The options of regridding: `regrid` of files and variables, of inputs, and at the top of the configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/problems.hpp"
#include "config/section.hpp"
#include "regrid/options.hpp"

namespace tailrace::regrid {

// `regrid` of a file or a variable: none for the word `none`. Paths are relative to the configuration file
// that names them. The grid of a file has only its path: read_grid_file fills in the rest.
config::Section<std::optional<Options>> regrid_section(const std::string& description);

// A target alone, as under `to`: for other sections whose grids are given in the same words.
config::Type target_type();
Target target_of(const config::Value& value, config::Problems& problems);

// The options that say how, for sections that know their target: method, weights, coverage, normalisation.
std::vector<config::Option> how_options();
// Reads them from a section that contains them.
void read_how(const config::Value& section, Options& options, config::Problems& problems);

// `regrid` at the top of the configuration. Registered.
struct Cache {
  // The directory of the files of weights; relative to the directory of the run.
  std::string directory = ".tailrace/weights";
  bool operator==(const Cache&) const = default;
};
config::Section<Cache> cache_section();

// `1 deg`, `0.25 deg`: cells of this size, from the south and from longitude 0, with centres half a cell
// inside. Throws Error(configuration) unless so many degrees divide 180.
LatLon lat_lon_of(std::string_view text);

}  // namespace tailrace::regrid
