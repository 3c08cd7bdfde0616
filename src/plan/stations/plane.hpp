// Where the cells of a grid lie in the horizontal plane, in the coordinates in which stations are given.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::plan::stations {

struct Plane {
  std::array<const model::Coordinate*, 2> at;  // in the order of the stations' coordinates
  std::vector<std::size_t> dims;               // their places in the grid, ascending
  bool by_dim = false;  // each coordinate has a dim of its own; else both are given cell by cell
  int longitude = -1;   // which of the two, where the other one is a latitude
};

// None where the grid lacks a coordinate that is called so (or is a latitude or longitude, where that is
// asked for), or where they do not span a plane.
std::optional<Plane> plane_of(const model::Grid& grid, const std::vector<std::string>& coordinates);

// Whether somebody would look for stations on it: it has two dims that may be horizontal, or a list of cells.
bool may_have_plane(const model::Grid& grid);

}  // namespace tailrace::plan::stations
