// Evens out the points of a grid on the unit sphere. Used by make_points.
#pragma once

#include <vector>

#include "points.hpp"

namespace igcm::grid {

/// Moves the points, in the order of Diamonds::row_major; the 12 corners of the icosahedron stay.
void relax(const Diamonds& diamonds, const PointOptions& options, std::vector<Vec3>& points);

}  // namespace igcm::grid
