// The section `trajectories` of a dataset: moving points at which its variables are written.
#pragma once

#include <string>
#include <vector>

#include "config/section.hpp"
#include "points/point_set.hpp"

namespace tailrace::points {

// The position of a trajectory at one time.
struct TrackPoint {
  config::Location location;
  double time = 0.0;       // seconds of model time
  std::vector<double> at;  // along the coordinates, then along the vertical one if it is given
};

struct Trajectory {
  std::string name;
  std::vector<TrackPoint> points;  // at least one, in ascending order of time
};

struct Trajectories : PointSet {
  std::string vertical;  // a coordinate of the grid and a column of the table; empty: all levels are written
  config::Location vertical_location;
  std::vector<Trajectory> all;  // empty before read_table()
};

config::Section<Trajectories> trajectories_section();  // part of an entry under `output`

}  // namespace tailrace::points
