// Tells for which source grids of regridding only the ranks have the places and corners of cells.
#pragma once

#include "model/declarations.hpp"
#include "plan/regridding.hpp"

namespace tailrace::plan {

// The horizontal coordinates of a grid: null if there is none.
struct HorizontalCoordinates {
  const model::Coordinate* lat = nullptr;
  const model::Coordinate* lon = nullptr;
  // Cells between parallels and meridians: each has one dim of its own.
  bool are_axes() const { return lat != nullptr && lon != nullptr && lat->dims != lon->dims; }
};
HorizontalCoordinates horizontal_coordinates(const model::Grid& grid);

// True if the ranks must send the geometry of the source cells: those of a mesh, or with coordinates for each
// cell that each rank gave for its own. The declarations tell the others.
bool needs_rank_geometry(const Regridding& regridding, const WeightsPlan& weights);

}  // namespace tailrace::plan
