// The section `stations` of a dataset: fixed points at which its variables are written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/section.hpp"
#include "points/point_set.hpp"

namespace tailrace::points {

struct Station {
  std::string name;
  config::Location location;
  std::vector<double> at;  // along PointSet::coordinates
  std::optional<double> altitude;
};

struct Stations : PointSet {
  std::vector<Station> points;  // those of a table only after read_table()
};

config::Section<Stations> stations_section();  // part of an entry under `output`

}  // namespace tailrace::points
