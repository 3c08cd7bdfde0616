#include "input/regridding/model_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <variant>

#include "base/error.hpp"
#include "base/index.hpp"
#include "input/entry/axis_dim.hpp"
#include "model/directions.hpp"

namespace tailrace::input {
namespace {

using regrid::CellGeometry;
using regrid::GridCells;
using regrid::Healpix;
using regrid::ListedCells;
using regrid::RowsAndColumns;

// Degrees: coordinates of float32 have such errors.
constexpr double same_place = 2e-5;

[[noreturn]] void refuse(const model::Grid& grid, const std::string& why) {
  throw Error(ErrorCode::configuration, fmt::format("the grid {} of the model {}", grid.name, why));
}

std::vector<double> values_of(const model::Grid& grid, const model::Coordinate& coordinate) {
  if (coordinate.values.empty())
    refuse(grid,
           fmt::format("has its coordinate {} in parts; expected all values on each rank", coordinate.name));
  return in_degrees(coordinate.values, coordinate.units);
}

// Two bounds for each value are known to all, even if the ranks gave them in parts.
std::vector<double> bounds_of(const model::Grid& grid, const model::Coordinate& coordinate) {
  if (coordinate.bounds.empty() && coordinate.bounds_field)
    refuse(grid,
           fmt::format("has bounds of its coordinate {} in parts; expected two for each value, or all bounds "
                       "on each rank",
                       coordinate.name));
  return in_degrees(coordinate.bounds, coordinate.units);
}

// Whether each angle of the model is one of the file's, and neighbours are neighbours.
bool are_neighbours(const std::vector<double>& file, const std::vector<double>& model, bool is_cyclic) {
  const auto length = static_cast<std::int64_t>(file.size());
  const auto apart = [is_cyclic](double a, double b) {
    return is_cyclic ? std::abs(std::remainder(a - b, 360.0)) : std::abs(a - b);
  };
  const auto is_at = [&](std::int64_t i, double value) {
    return (is_cyclic || (i >= 0 && i < length)) &&
           apart(file[base::index((i + length) % length)], value) <= same_place;
  };
  if (model.empty()) return true;
  std::int64_t at = 0, step = 0;
  while (at < length && !is_at(at, model.front())) ++at;
  if (at == length) return false;
  for (std::size_t m = 1; m < model.size(); ++m, at += step) {
    if (step == 0) step = is_at(at + 1, model[m]) ? 1 : -1;
    if (!is_at(at + step, model[m])) return false;
    if (is_cyclic) at = (at + length) % length;
  }
  return true;
}

bool are_same(const ListedCells& file, const ListedCells& model) {
  if (file.shape != model.shape) return false;
  const CellGeometry &a = file.geometry, &b = model.geometry;
  for (std::size_t i = 0; i < a.lat.size(); ++i) {
    const double east = std::abs(std::remainder(a.lon[i] - b.lon[i], 360.0));
    const bool at_pole = 90.0 - std::abs(a.lat[i]) <= same_place;
    if (std::abs(a.lat[i] - b.lat[i]) > same_place || (east > same_place && !at_pole)) return false;
  }
  return true;
}

}  // namespace

ModelCells model_cells_of(const model::Declarations& declarations, int number, const CellsOfRanks* of_ranks) {
  const model::Grid& grid = declarations.grids[base::index(number)];
  ModelCells model;
  // Bounds along one dim each are halfway between the centres where there are none, so they are not missed.
  model.horizontal = regrid::horizontal_dims(declarations, number, regrid::Method::bilinear);
  if (const auto healpix = regrid::healpix_of(grid)) {
    model.cells = *healpix;
    return model;
  }
  if (regrid::only_ranks_know_cells(grid)) {
    TAILRACE_ASSERT(of_ranks != nullptr, "the cells of a grid that only the ranks know");
    model.cells = ListedCells{.geometry = of_ranks->of(number), .shape = model.horizontal.shape};
    return model;
  }
  const auto [lat, lon] = model::horizontal_coordinates(grid);
  if (lat == nullptr || lon == nullptr)
    refuse(grid, "has no coordinates of latitude and longitude for each of its cells");
  if (lat->dims != lon->dims && lat->dims.size() == 1 && lon->dims.size() == 1) {
    RowsAndColumns cells{.lat = values_of(grid, *lat),
                         .lon = values_of(grid, *lon),
                         .lat_bounds = bounds_of(grid, *lat),
                         .lon_bounds = bounds_of(grid, *lon),
                         .lat_first = grid.dims[model.horizontal.dims.front()] == lat->dims.front()};
    model.cells = std::move(cells);
    return model;
  }
  ListedCells cells{.geometry = {}, .shape = model.horizontal.shape};
  cells.geometry.lat = values_of(grid, *lat);
  cells.geometry.lon = values_of(grid, *lon);
  cells.geometry.lat_corners = bounds_of(grid, *lat);
  cells.geometry.lon_corners = bounds_of(grid, *lon);
  if (!cells.geometry.lat.empty())
    cells.geometry.corners =
        static_cast<std::int64_t>(cells.geometry.lat_corners.size() / cells.geometry.lat.size());
  model.cells = std::move(cells);
  return model;
}

bool are_same_cells(const GridCells& file, const GridCells& model) {
  if (file.index() != model.index()) return false;
  if (const auto* rows = std::get_if<RowsAndColumns>(&file)) {
    const auto& own = std::get<RowsAndColumns>(model);
    return are_neighbours(rows->lat, own.lat, false) && are_neighbours(rows->lon, own.lon, true);
  }
  if (const auto* listed = std::get_if<ListedCells>(&file))
    return are_same(*listed, std::get<ListedCells>(model));
  return std::get<Healpix>(file) == std::get<Healpix>(model);
}

}  // namespace tailrace::input
