// `trajectories:` of a file: moving points at which its variables are written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/section.hpp"
#include "settings/stations/stations.hpp"

namespace tailrace::settings {

// Where a trajectory is at a time.
struct Fix {
  config::Location location;
  double time = 0.0;       // seconds of model time
  std::vector<double> at;  // along the coordinates, and then along the vertical one, where that is given
};

struct Trajectory {
  std::string name;
  std::vector<Fix> fixes;  // by ascending time; at least one
};

struct Trajectories : PointSet {
  std::string vertical;  // of the grid's coordinates, a column of the table; empty: whole columns of levels
  config::Location vertical_location;
  std::vector<Trajectory> all;  // of a table only after read_tables()
};

config::Section<Trajectories> trajectories_section();  // part of a file

}  // namespace tailrace::settings
