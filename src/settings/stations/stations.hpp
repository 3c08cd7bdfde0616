// `stations:` of a file: the points at which its variables are written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/section.hpp"

namespace tailrace::settings {

enum class Sampling { nearest, bilinear };

struct Station {
  std::string name;
  config::Location location;
  std::vector<double> at;  // along Stations::coordinates
  std::optional<double> altitude;
};

// What stations and trajectories have in common: where a file holds its variables.
struct PointSet {
  config::Location location;
  std::string config_path;  // how messages name it: output.a.nc.stations
  std::string file;         // of a table, from where the run was started; empty: none
  config::Location file_location;
  Sampling method = Sampling::nearest;
  config::Location method_location;  // line 0: not given
  // Two: `latitude` and `longitude`, or names of coordinates of the model's grid.
  std::vector<std::string> coordinates;
};

struct Stations : PointSet {
  std::vector<Station> points;  // of a table only after read_tables()
};

config::Section<Stations> stations_section();  // part of a file

}  // namespace tailrace::settings
