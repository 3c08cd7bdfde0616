// The horizontal cells of a grid, as far as its declarations tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "model/declarations.hpp"
#include "regrid/options.hpp"

namespace tailrace::regrid {

// The dims of a grid that latitude and longitude lie along, in the grid's order: two, or one of an
// unstructured grid or of HEALPix. Other dims (levels) are regridded one index after the other.
struct HorizontalDims {
  std::vector<std::size_t> dims;    // indices into Grid::dims
  std::vector<std::int64_t> shape;  // their extents
};

// Throws Error(configuration), without a place, that says what the grid lacks for the method: coordinates,
// bounds for conservative, or a decomposition that can be regridded (partial grids cannot).
HorizontalDims horizontal_dims(const model::Declarations& declarations, int grid, Method method);

// The level and the order of a grid of HEALPix cells. None: it is no such grid, or none of its dims has the
// cells of a level.
std::optional<Healpix> healpix_of(const model::Grid& grid);

// True for cells whose places and corners the declarations do not tell: those of a mesh, or with coordinates
// for each cell that each rank gave for its own. The ranks must send their geometry.
bool only_ranks_know_cells(const model::Grid& grid);

// Centres and corners in degrees of the cells of one rank, in the order of its horizontal region. Empty
// corners: the grid has no bounds.
struct CellGeometry {
  std::vector<double> lat, lon;
  std::vector<double> lat_corners,
      lon_corners;  // (cell, corner); the last corner repeated where there are fewer
  std::int64_t corners = 0;
  void put(base::ByteWriter& writer) const;
  static CellGeometry get(base::ByteReader& reader);  // throws Error(internal) for bytes that are none
};

}  // namespace tailrace::regrid
