#include "session/source_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <span>

#include "base/index.hpp"
#include "model/directions.hpp"
#include "plan/inputs.hpp"
#include "plan/regridding.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::session {
namespace {

using client::Declarer;
using model::Run;
using model::Runs;

// The values of a static field that this rank gave; empty if it has none of its cells.
template <class T>
std::vector<T> static_values(const Declarer& declarer, int field) {
  const auto found = std::ranges::find(declarer.statics(), field, &client::StaticValues::field);
  if (found == declarer.statics().end()) return {};
  std::vector<T> values(found->bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), found->bytes.data(), values.size() * sizeof(T));
  return values;
}

// The numbers of the horizontal cells of which this rank gave the values of a static field, in the order of
// these. Its grid has the horizontal dims first.
Runs numbers_of(const Declarer& declarer, int field, const std::vector<std::int64_t>& shape) {
  Runs numbers;
  const auto add = [&](std::int64_t row, const Runs& along) {
    for (const Run& run : along)
      if (run.count > 0) numbers.push_back({row + run.start, run.count});
  };
  const int grid = declarer.declarations().fields[base::index(field)].grid;
  for (const model::Region& block : declarer.blocks(base::index(grid))) {
    if (block.size() == 0) continue;
    if (shape.size() == 1) {
      add(0, block.runs(0));
      continue;
    }
    for (const Run& rows : block.runs(0))
      for (std::int64_t y = rows.start; y < rows.start + rows.count; ++y) add(y * shape[1], block.runs(1));
  }
  return numbers;
}

template <class Visit>
void for_each(const Runs& numbers, const Visit& visit) {
  for (const Run& run : numbers)
    for (std::int64_t number = run.start; number < run.start + run.count; ++number) visit(number);
}

// The values of this rank's cells, `width` of each: all that it gave, or some of those that all ranks know.
std::vector<double> values_of(const Declarer& declarer, const Runs& numbers, const std::vector<double>& all,
                              std::optional<int> field, std::size_t width) {
  if (all.empty()) return field ? static_values<double>(declarer, *field) : std::vector<double>();
  std::vector<double> own;
  for_each(numbers, [&](std::int64_t number) {
    const auto first = all.begin() + number * static_cast<std::int64_t>(width);
    own.insert(own.end(), first, first + static_cast<std::int64_t>(width));
  });
  return own;
}

std::int64_t vertices_of(const Declarer& declarer, const model::Coordinate& coordinate,
                         std::int64_t cells_of_grid) {
  const model::Declarations& declared = declarer.declarations();
  if (coordinate.bounds_field)
    return declared.grids[base::index(declared.fields[base::index(*coordinate.bounds_field)].grid)]
        .shape.back();
  return cells_of_grid == 0 ? 0 : std::ssize(coordinate.bounds) / cells_of_grid;
}

void take_coordinates(const Declarer& declarer, const std::vector<std::int64_t>& shape,
                      const model::HorizontalCoordinates& places, regrid::RankCells& cells) {
  const auto& [lat, lon] = places;
  std::int64_t all = 1;
  for (const std::int64_t extent : shape) all *= extent;
  cells.geometry.lat = values_of(declarer, cells.numbers, lat->values, lat->field, 1);
  cells.geometry.lon = values_of(declarer, cells.numbers, lon->values, lon->field, 1);
  const std::int64_t corners = vertices_of(declarer, *lat, all);
  if (corners == 0 || corners != vertices_of(declarer, *lon, all)) return;
  cells.geometry.corners = corners;
  const auto width = static_cast<std::size_t>(corners);
  cells.geometry.lat_corners = values_of(declarer, cells.numbers, lat->bounds, lat->bounds_field, width);
  cells.geometry.lon_corners = values_of(declarer, cells.numbers, lon->bounds, lon->bounds_field, width);
}

// The middle of the corners of a face on the sphere.
void add_middle(std::span<const double> lats, std::span<const double> lons, regrid::CellGeometry& geometry) {
  constexpr double degree = std::numbers::pi / 180.0;
  double x = 0.0, y = 0.0, z = 0.0;
  for (std::size_t c = 0; c < lats.size(); ++c) {
    x += std::cos(lats[c] * degree) * std::cos(lons[c] * degree);
    y += std::cos(lats[c] * degree) * std::sin(lons[c] * degree);
    z += std::sin(lats[c] * degree);
  }
  geometry.lat.push_back(std::atan2(z, std::hypot(x, y)) / degree);
  geometry.lon.push_back(std::atan2(y, x) / degree);
}

void take_faces(const Declarer& declarer, const model::Mesh& mesh, regrid::RankCells& cells) {
  const client::CornerNodes& nodes = declarer.corner_nodes(mesh.name);
  const auto faces = static_values<std::int32_t>(declarer, mesh.connectivity_field);
  const auto width = base::index(mesh.nodes_per_face);
  regrid::CellGeometry& geometry = cells.geometry;
  geometry.corners = mesh.nodes_per_face;
  for (std::size_t face = 0; face + width <= faces.size(); face += width) {
    const std::size_t before = geometry.lat_corners.size();
    std::size_t corners = 0;
    for (std::size_t c = 0; c < width; ++c) {
      if (faces[face + c] >= 0) {
        const auto [lon, lat] = nodes.place_of(faces[face + c]);
        geometry.lat_corners.push_back(lat);
        geometry.lon_corners.push_back(lon);
        ++corners;
      } else {  // the last one again
        geometry.lat_corners.push_back(geometry.lat_corners.back());
        geometry.lon_corners.push_back(geometry.lon_corners.back());
      }
    }
    add_middle(std::span(geometry.lat_corners).subspan(before, corners),
               std::span(geometry.lon_corners).subspan(before, corners), geometry);
  }
}

void take_cells(const model::Grid& grid, const std::vector<std::int64_t>& shape, const Declarer& declarer,
                regrid::RankCells& cells) {
  const model::HorizontalCoordinates places = model::horizontal_coordinates(grid);
  const bool has_places = places.lat != nullptr && places.lon != nullptr &&
                          places.lat->units.starts_with("degree") && places.lon->units.starts_with("degree");
  if (grid.mesh && grid.mesh->node_units.empty()) {
    cells.numbers = numbers_of(declarer, grid.mesh->connectivity_field, shape);
    if (cells.numbers.empty()) return;
    take_faces(declarer, *grid.mesh, cells);
    if (!has_places) return;
    regrid::RankCells centres{.numbers = cells.numbers, .geometry = {}};
    take_coordinates(declarer, shape, places, centres);
    cells.geometry.lat = std::move(centres.geometry.lat);
    cells.geometry.lon = std::move(centres.geometry.lon);
    return;
  }
  const model::Coordinate& in_parts = places.lat->field ? *places.lat : *places.lon;
  cells.numbers = numbers_of(declarer, in_parts.field ? *in_parts.field : *in_parts.bounds_field, shape);
  if (!cells.numbers.empty()) take_coordinates(declarer, shape, places, cells);
}

void add_sources(const plan::Regridding& regridding, const Declarer& declarer,
                 std::vector<regrid::RankCells>& all) {
  for (std::size_t w = 0; w < regridding.weights.size(); ++w) {
    const plan::WeightsPlan& weights = regridding.weights[w];
    const model::Grid& grid = regridding.declarations.grids[base::index(weights.source_grid)];
    if (!regrid::only_ranks_know_cells(grid)) continue;
    regrid::RankCells& cells = all.emplace_back();
    cells.weights = static_cast<std::int32_t>(w);
    take_cells(grid, weights.source.shape, declarer, cells);
  }
}

}  // namespace

std::vector<regrid::RankCells> cells_of_rank(const plan::Plan& plan, const model::Declarations& agreed,
                                             const Declarer& declarer) {
  std::vector<regrid::RankCells> all;
  if (plan.regridding) add_sources(*plan.regridding, declarer, all);
  for (const int grid : plan::input_grids_of_ranks(plan, agreed)) {
    regrid::RankCells& cells = all.emplace_back();
    cells.grid = grid;
    const auto horizontal = regrid::horizontal_dims(agreed, grid, regrid::Method::nearest);
    take_cells(agreed.grids[base::index(grid)], horizontal.shape, declarer, cells);
  }
  return all;
}

}  // namespace tailrace::session
