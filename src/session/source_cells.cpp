#include "session/source_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <span>

#include "base/index.hpp"
#include "plan/rank_geometry.hpp"

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

// Whether a block has the first index along all dims that are not horizontal: of the blocks one above the
// other that one gives the cells, as it hands over their coordinates.
bool is_first(const model::Region& block, const std::vector<std::size_t>& horizontal) {
  for (std::size_t d = 0; d < block.rank(); ++d)
    if (std::ranges::count(horizontal, d) == 0 &&
        std::ranges::none_of(block.runs(d), [](const Run& run) { return run.start == 0 && run.count > 0; }))
      return false;
  return true;
}

// The numbers of this rank's cells, block by block in the order of the local array.
Runs numbers_of(const Declarer& declarer, const plan::WeightsPlan& weights) {
  Runs numbers;
  const auto add = [&](std::int64_t row, const Runs& along) {
    for (const Run& run : along)
      if (run.count > 0) numbers.push_back({row + run.start, run.count});
  };
  const std::vector<std::size_t>& dims = weights.source.dims;
  for (const model::Region& block : declarer.blocks(base::index(weights.source_grid))) {
    if (!is_first(block, dims)) continue;
    if (dims.size() == 1) {
      add(0, block.runs(dims[0]));
      continue;
    }
    for (const Run& rows : block.runs(dims[0]))
      for (std::int64_t y = rows.start; y < rows.start + rows.count; ++y)
        add(y * weights.source.shape[1], block.runs(dims[1]));
  }
  return numbers;
}

template <class Visit>
void for_each(const Runs& numbers, const Visit& visit) {
  for (const Run& run : numbers)
    for (std::int64_t number = run.start; number < run.start + run.count; ++number) visit(number);
}

// Those of this rank's cells, of values that it gave or that all ranks know; `width` of each.
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

void take_coordinates(const Declarer& declarer, const plan::WeightsPlan& weights, regrid::RankCells& cells) {
  const model::Grid& grid = declarer.declarations().grids[base::index(weights.source_grid)];
  const auto [lat, lon] = plan::horizontal_coordinates(grid);
  std::int64_t all = 1;
  for (const std::int64_t extent : weights.source.shape) all *= extent;
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

}  // namespace

std::vector<regrid::RankCells> source_cells_of(const plan::Regridding& regridding,
                                               const client::Declarer& declarer) {
  std::vector<regrid::RankCells> all;
  for (std::size_t w = 0; w < regridding.weights.size(); ++w) {
    const plan::WeightsPlan& weights = regridding.weights[w];
    if (!plan::needs_rank_geometry(regridding, weights)) continue;
    regrid::RankCells& cells = all.emplace_back();
    cells.weights = static_cast<std::int32_t>(w);
    const auto number = base::index(weights.source_grid);
    if (declarer.cells(number) == 0) continue;
    cells.numbers = numbers_of(declarer, weights);
    if (cells.numbers.empty()) continue;
    const model::Grid& grid = declarer.declarations().grids[number];
    const auto places = plan::horizontal_coordinates(grid);
    if (grid.mesh && grid.mesh->node_units.empty()) {
      take_faces(declarer, *grid.mesh, cells);
      if (places.lat == nullptr || places.lon == nullptr) continue;
      regrid::RankCells centres{cells.weights, cells.numbers, {}};
      take_coordinates(declarer, weights, centres);
      cells.geometry.lat = std::move(centres.geometry.lat);
      cells.geometry.lon = std::move(centres.geometry.lon);
    } else {
      take_coordinates(declarer, weights, cells);
    }
  }
  return all;
}

}  // namespace tailrace::session
