// `pyramid` of a file: coarser copies of it in space and in time, each a file of its own.
//
// Coarser in time: the operations of its variables over longer periods. Coarser in space: each record is made
// of a record of the next finer file, four cells to one. The names tell which copy it is (docs/reference):
// `a.zarr` has the file's own records and cells; `a_z7.zarr` those records on HEALPix level 7;
// `a_P1D_z8.zarr` and `a_P1D_z7.zarr` daily ones. Grids of latitude and longitude have their shape in place
// of the level: `a_90x180.zarr`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/section.hpp"
#include "regrid/options.hpp"
#include "time/period.hpp"

namespace tailrace::settings {

struct OutputEntry;

struct Pyramid {
  int levels = 0;                     // coarser copies in space
  std::vector<time::Period> periods;  // of coarser copies in time
  std::vector<config::Location> period_locations;
  config::Location location;
  config::Location levels_location;
  std::string config_path;
  bool empty() const { return levels == 0 && periods.empty(); }
};

// The place in its pyramid of an entry of `output` that a pyramid adds.
struct PyramidCopy {
  std::string of;     // the path of the file that has the pyramid
  std::string finer;  // the path of the file whose records it is made of; empty: it is as fine
  int halvings = 0;   // how often the target was made coarser
  std::optional<time::Period> period;  // none: the file's own records
};

config::Section<Pyramid> pyramid_section();

// Adds the entries of all pyramids behind the files that have them. Those coarser in space have no variables
// of their own. Levels that the target cannot have are a problem. REQUIRES: the grids of files are known.
void add_pyramids(std::vector<OutputEntry>& files, config::Problems& problems);

// The target with half the rows and columns, or the next coarser level. Throws Error(configuration) that says
// why there is none: of the ring order, of rows that are not even in number or distance, of other grids.
regrid::Target coarser(const regrid::Target& target);

}  // namespace tailrace::settings
