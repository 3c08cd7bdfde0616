#include "regrid/source_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/index.hpp"
#include "model/directions.hpp"
#include "model/healpix.hpp"
#include "regrid/method.hpp"

namespace tailrace::regrid {
namespace {

[[noreturn]] void refuse(const model::Grid& grid, std::string_view why) {
  throw Error(ErrorCode::configuration, fmt::format("grid \"{}\" cannot be regridded: {}", grid.name, why));
}

[[noreturn]] void refuse_without_bounds(const model::Grid& grid, Method method, const std::string& names) {
  refuse(grid,
         fmt::format("method {} needs the corners of its cells, and {} no bounds; declare bounds, or use "
                     "bilinear, average or nearest",
                     name_of(method), names));
}

std::optional<std::size_t> find_dim(const model::Grid& grid, const std::string& dim) {
  const auto found = std::ranges::find(grid.dims, dim);
  if (found == grid.dims.end()) return std::nullopt;
  return base::index(found - grid.dims.begin());
}

bool has_bounds(const model::Coordinate& coordinate) {
  return !coordinate.bounds.empty() || coordinate.bounds_field;
}

bool is_in_parts(const model::Coordinate& coordinate) {
  return (coordinate.values.empty() && coordinate.field) ||
         (coordinate.bounds.empty() && coordinate.bounds_field);
}

HorizontalDims dims_at(const model::Grid& grid, std::vector<std::size_t> dims) {
  HorizontalDims made{std::move(dims), {}};
  for (const std::size_t d : made.dims) made.shape.push_back(grid.shape[d]);
  return made;
}

HorizontalDims dims_of_coordinates(const model::Grid& grid, const model::Coordinate& lat,
                                   const model::Coordinate& lon) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    if (std::ranges::count(lat.dims, grid.dims[d]) + std::ranges::count(lon.dims, grid.dims[d]) > 0)
      dims.push_back(d);
  const bool as_axes = lat.dims.size() == 1 && lon.dims.size() == 1;
  if (dims.size() > 2 || (!as_axes && lat.dims != lon.dims))
    refuse(grid,
           fmt::format("\"{}\" ({}) and \"{}\" ({}) do not give the places of cells along one or two dims",
                       lat.name, fmt::join(lat.dims, ", "), lon.name, fmt::join(lon.dims, ", ")));
  for (const model::Coordinate* one : {&lat, &lon})
    if (!one->units.starts_with("degree"))
      refuse(grid, fmt::format("\"{}\" is in \"{}\"; expected degrees", one->name, one->units));
  return dims_at(grid, std::move(dims));
}

}  // namespace

HorizontalDims horizontal_dims(const model::Declarations& declarations, int grid_index, Method method) {
  const model::Grid& grid = declarations.grids[base::index(grid_index)];
  if (grid.kind == model::GridKind::partial)
    refuse(grid,
           "every rank has a contribution to all of its cells; regrid a sum over the ranks, a diagnostic");
  if (const auto dim = model::healpix_dim(grid)) return dims_at(grid, {*dim});
  const auto [lat, lon] = model::horizontal_coordinates(grid);
  const auto cells = find_dim(grid, grid.indexed_dim);
  const bool mesh_in_degrees = grid.mesh && grid.mesh->node_units.empty() && cells;
  if (mesh_in_degrees) return dims_at(grid, {*cells});
  if (grid.mesh && !(lat && lon))
    refuse(grid,
           fmt::format("the nodes of its mesh \"{}\" lie in a plane, in {}; declare latitude and longitude",
                       grid.mesh->name, grid.mesh->node_units));
  if (!(lat && lon))
    refuse(grid, fmt::format("it has no {}; declare a coordinate with the units degrees_{}",
                             lat   ? "longitude"
                             : lon ? "latitude"
                                   : "latitude and longitude",
                             lat ? "east" : "north"));
  HorizontalDims made = dims_of_coordinates(grid, *lat, *lon);
  if (needs_corners(method) && !(has_bounds(*lat) && has_bounds(*lon)))
    refuse_without_bounds(grid, method,
                          has_bounds(*lat)   ? fmt::format("\"{}\" has", lon->name)
                          : has_bounds(*lon) ? fmt::format("\"{}\" has", lat->name)
                                             : fmt::format("\"{}\" and \"{}\" have", lat->name, lon->name));
  return made;
}

std::optional<Healpix> healpix_of(const model::Grid& grid) {
  const auto dim = model::healpix_dim(grid);
  if (!dim) return std::nullopt;
  Healpix healpix;
  while (healpix.cells() < grid.shape[*dim]) ++healpix.level;
  healpix.order = model::is_nested(grid) ? HealpixOrder::nested : HealpixOrder::ring;
  return healpix;
}

bool only_ranks_know_cells(const model::Grid& grid) {
  if (model::is_healpix(grid)) return false;
  if (grid.mesh && grid.mesh->node_units.empty()) return true;
  const model::HorizontalCoordinates found = model::horizontal_coordinates(grid);
  if (found.lat == nullptr || found.lon == nullptr || found.are_axes()) return false;
  return is_in_parts(*found.lat) || is_in_parts(*found.lon);
}

void CellGeometry::put(base::ByteWriter& writer) const {
  writer.put(corners);
  for (const auto* values : {&lat, &lon, &lat_corners, &lon_corners})
    writer.put_all(std::span<const double>(*values));
}

CellGeometry CellGeometry::get(base::ByteReader& reader) {
  CellGeometry made;
  made.corners = reader.get<std::int64_t>();
  for (auto* values : {&made.lat, &made.lon, &made.lat_corners, &made.lon_corners})
    *values = reader.get_all<double>();
  const std::size_t cells = made.lat.size();
  TAILRACE_ASSERT(made.corners >= 0 && made.lon.size() == cells &&
                      made.lat_corners.size() == cells * static_cast<std::size_t>(made.corners) &&
                      made.lon_corners.size() == made.lat_corners.size(),
                  "the geometry of cells in a message");
  return made;
}

}  // namespace tailrace::regrid
