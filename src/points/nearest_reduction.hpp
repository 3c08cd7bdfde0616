// Values of the cells nearest to moving points, on grids whose coordinates have one value for each cell.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analytics/operator.hpp"
#include "points/reduction.hpp"

namespace tailrace::points {

using Position = std::array<double, 3>;  // in a space in which straight distances order cells

struct Place {
  Position at;
  Shares levels;  // cells along `level`; empty if there is no such dimension
};

struct NearestPoints {
  std::string dim;  // the new one, which comes first
  std::int64_t count = 0;
  analytics::Dims plane;  // dims of the two coordinates, which are the arguments after the field
  std::string level;      // a dimension that is consumed too; empty: none
  std::function<Position(double, double)> position;  // of a cell, from its coordinates
  // By point; none if it has no position at this time. Both functions are called from several threads.
  std::function<std::vector<std::optional<Place>>(double seconds)> places_at;
};

// A reduction of a field and two coordinates on its plane, all of which may be split into blocks. If cells
// have the same distance, it takes the one with the smallest number (in C order over the plane).
std::shared_ptr<const analytics::Reduction> make_reduction(NearestPoints points);

}  // namespace tailrace::points
