// The horizontal plane of a grid, in the coordinates in which points are given.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::points {

struct Plane {
  std::array<const model::Coordinate*, 2> at;  // in the order of PointSet::coordinates
  std::vector<std::size_t> dims;               // indices into Grid::dims, ascending
  bool by_dim = false;  // each coordinate has its own dim; otherwise both have one value for each cell
  int longitude = -1;   // index into `at` of the longitude, if the other one is a latitude
};

// None if the grid lacks one of these coordinates, or if they do not span a plane. `latitude` and `longitude`
// are found by their units or standard names too.
std::optional<Plane> plane_of(const model::Grid& grid, const std::vector<std::string>& coordinates);

// True for grids on which a user may expect points: with two dims that are not vertical, or a list of cells.
bool may_have_plane(const model::Grid& grid);

}  // namespace tailrace::points
