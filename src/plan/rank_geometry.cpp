#include "plan/rank_geometry.hpp"

#include "base/index.hpp"
#include "model/attributes.hpp"
#include "model/directions.hpp"

namespace tailrace::plan {
namespace {

bool is_in_parts(const model::Coordinate& coordinate) {
  return (coordinate.values.empty() && coordinate.field) ||
         (coordinate.bounds.empty() && coordinate.bounds_field);
}

}  // namespace

bool needs_rank_geometry(const Regridding& regridding, const WeightsPlan& weights) {
  const model::Grid& grid = regridding.declarations.grids[base::index(weights.source_grid)];
  if (grid.mapping && model::text_of(grid.mapping->attributes, "grid_mapping_name") == "healpix")
    return false;
  if (grid.mesh && grid.mesh->node_units.empty()) return true;
  const model::HorizontalCoordinates found = model::horizontal_coordinates(grid);
  if (found.lat == nullptr || found.lon == nullptr || found.are_axes()) return false;
  return is_in_parts(*found.lat) || is_in_parts(*found.lon);
}

}  // namespace tailrace::plan
