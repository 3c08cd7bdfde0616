// Values of the cells nearest to moving points, on grids whose cells are given one by one.
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

using Position = std::array<double, 3>;  // in a space where the straight distance says what is nearer

struct Place {
  Position at;
  Shares levels;  // cells along `level`; none where there is no such dimension
};

struct NearestPoints {
  std::string dim;  // the new one, which comes first
  std::int64_t count = 0;
  Dims plane;         // of the two coordinates, which are the arguments behind the field
  std::string level;  // a dimension that is consumed too; empty: none
  std::function<Position(double, double)> position;  // of a cell, from its coordinates
  // By point, none where it is nowhere. Both are called from several threads.
  std::function<std::vector<std::optional<Place>>(double seconds)> places_at;
};

// A reduction of a field and two coordinates on its plane, which may lie in blocks like it. Of cells that are
// equally near the one with the smallest number (in C order over the plane) counts.
std::shared_ptr<const Reduction> make_operator(NearestPoints points);

}  // namespace tailrace::analytics::points
