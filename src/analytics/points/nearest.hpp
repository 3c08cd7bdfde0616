// Values of the cells nearest to moving points, on unstructured grids.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analytics/operator.hpp"
#include "analytics/points/points.hpp"

namespace tailrace::analytics::points {

using Position = std::array<double, 3>;  // Cartesian, so that Euclidean distances can be compared

struct Place {
  Position at;
  Shares levels;  // cells along `level`; empty without such a dimension
};

struct NearestPoints {
  std::string dim;  // the new dimension, which is the first
  std::int64_t count = 0;
  Dims plane;         // the dims of the two coordinates, the arguments after the field
  std::string level;  // another consumed dimension; empty: none
  std::function<Position(double, double)> position;  // of a cell, from its coordinates
  // By point; none if it has no position. Both functions are called from several threads.
  std::function<std::vector<std::optional<Place>>(double seconds)> places_at;
};

// A reduction of a field and two coordinates on its plane, which may be split like the field. Of equally near
// cells, the one with the smallest index (in C order over the plane) is taken.
std::shared_ptr<const Reduction> make_operator(NearestPoints points);

}  // namespace tailrace::analytics::points
