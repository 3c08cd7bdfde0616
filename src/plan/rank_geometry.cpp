#include "plan/rank_geometry.hpp"

#include "base/index.hpp"
#include "model/attributes.hpp"
#include "model/directions.hpp"

namespace tailrace::plan {
namespace {

const model::Coordinate* find(const model::Grid& grid, bool (*is)(const model::Coordinate&)) {
  for (const model::Coordinate& coordinate : grid.coordinates)
    if (!coordinate.dims.empty() && is(coordinate)) return &coordinate;
  return nullptr;
}

bool is_in_parts(const model::Coordinate& coordinate) {
  return (coordinate.values.empty() && coordinate.field) ||
         (coordinate.bounds.empty() && coordinate.bounds_field);
}

}  // namespace

HorizontalCoordinates horizontal_coordinates(const model::Grid& grid) {
  return {find(grid, &model::is_latitude), find(grid, &model::is_longitude)};
}

bool needs_rank_geometry(const Regridding& regridding, const WeightsPlan& weights) {
  const model::Grid& grid = regridding.declarations.grids[base::index(weights.source_grid)];
  if (grid.mapping && model::text_of(grid.mapping->attributes, "grid_mapping_name") == "healpix")
    return false;
  if (grid.mesh && grid.mesh->node_units.empty()) return true;
  const HorizontalCoordinates found = horizontal_coordinates(grid);
  if (found.lat == nullptr || found.lon == nullptr || found.are_axes()) return false;
  return is_in_parts(*found.lat) || is_in_parts(*found.lon);
}

}  // namespace tailrace::plan
