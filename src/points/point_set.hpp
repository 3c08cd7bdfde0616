// The points at which a dataset holds its variables: the part that stations and trajectories have in common.
#pragma once

#include <string>
#include <vector>

#include "config/location.hpp"

namespace tailrace::points {

enum class Sampling { nearest, bilinear };

struct PointSet {
  config::Location location;
  std::string config_path;  // how messages name it: output.a.nc.stations
  std::string file;         // the table, relative to the file that names it; empty: there is none
  config::Location file_location;
  Sampling method = Sampling::nearest;
  config::Location method_location;  // line 0: not given
  // Two: `latitude` and `longitude`, or names of coordinates of the model's grid.
  std::vector<std::string> coordinates;
};

struct Stations;
struct Trajectories;

// The points that one dataset asks for. Exactly one of the two is given, and it must live longer.
struct Request {
  std::string dataset;  // its path
  const Stations* stations = nullptr;
  const Trajectories* trajectories = nullptr;

  const PointSet& points() const;
  const char* kind() const { return stations != nullptr ? "stations" : "trajectories"; }
};

}  // namespace tailrace::points
