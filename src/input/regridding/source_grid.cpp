#include "input/regridding/source_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "input/regridding/healpix_mapping.hpp"
#include "input/regridding/mesh_cells.hpp"

namespace tailrace::input {
namespace {

using regrid::CellGeometry;
using regrid::Healpix;
using regrid::ListedCells;
using regrid::RowsAndColumns;

constexpr std::int64_t healpix_faces = 12;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

std::string text(const VariableHeader& variable, const char* attribute) {
  const std::string* const found = variable.text(attribute);
  return found == nullptr ? "" : *found;
}

bool is_rotated(const VariableHeader& coordinate) {
  return text(coordinate, "standard_name").starts_with("grid_");
}

bool is_of(const VariableHeader& coordinate, DimKind kind) {
  const DimKind own = kind_of(text(coordinate, "units"), text(coordinate, "standard_name"), "", "");
  return coordinate.is_number && own == kind && !is_rotated(coordinate);
}

// `grid_mapping` may be a name, or "name: coordinates" (CF 5.6).
const VariableHeader* mapping_of(const FileCoordinates& file, const VariableHeader& variable) {
  std::istringstream words(text(variable, "grid_mapping"));
  std::string name;
  if (!(words >> name)) return nullptr;
  if (name.ends_with(':')) name.pop_back();
  return file.find_near(variable, name);
}

// All cells of the sphere, in the order of their numbers.
SourceGrid healpix_grid(FileCoordinates& file, const VariableHeader& variable,
                        const VariableHeader& mapping) {
  const Healpix healpix = healpix_of(mapping);
  for (std::size_t d = variable.dims.size(); d-- > 0;) {
    if (variable.shape[d] != healpix.cells()) continue;
    const VariableHeader* const numbers = file.coordinate_of(variable, d);
    if (numbers != nullptr && text(*numbers, "standard_name") == "healpix_index") {
      const std::vector<double>& cells = file.numbers(*numbers);
      for (std::size_t i = 0; i < cells.size(); ++i)
        if (cells[i] != static_cast<double>(i))
          refuse(fmt::format("{} has the number {} at place {}; expected the numbers of all cells in order",
                             numbers->name, cells[i], i));
    }
    return {{d}, healpix};
  }
  refuse(fmt::format("none of its dims {} has the {} x 4^{} = {} cells of its mapping {}",
                     fmt::join(variable.dims, ", "), healpix_faces, healpix.level, healpix.cells(),
                     mapping.name));
}

// Where the dims of a coordinate are among those of the variable. A first one of time, as in files of WRF,
// and those of one cell are left out. None: another dim is not the variable's.
std::optional<std::vector<std::size_t>> places_of(const VariableHeader& coordinate,
                                                  const VariableHeader& variable) {
  std::vector<std::size_t> places;
  const std::size_t first = coordinate.dims.size() == 3 ? 1 : 0;
  for (std::size_t d = first; d < coordinate.dims.size(); ++d) {
    const auto found = std::ranges::find(variable.dims, coordinate.dims[d]);
    if (found == variable.dims.end()) return std::nullopt;
    places.push_back(static_cast<std::size_t>(found - variable.dims.begin()));
  }
  if (places.empty() || places.size() > 2) return std::nullopt;
  return places;
}

struct Found {
  const VariableHeader* coordinate = nullptr;
  std::vector<std::size_t> dims;
};

// The coordinate with most dims, since those of a curvilinear grid have two.
Found find_coordinate(const FileCoordinates& file, const VariableHeader& variable, DimKind kind) {
  Found found;
  for (const VariableHeader* one : file.coordinates_of(variable)) {
    if (!is_of(*one, kind)) continue;
    auto places = places_of(*one, variable);
    if (places && places->size() > found.dims.size()) found = {one, std::move(*places)};
  }
  return found;
}

const VariableHeader* bounds_of(const FileCoordinates& file, const VariableHeader& coordinate) {
  const std::string name = text(coordinate, "bounds");
  if (name.empty()) return nullptr;
  const VariableHeader* const bounds = file.find_near(coordinate, name);
  if (bounds == nullptr)
    refuse(fmt::format("{} names the bounds {}, which the file lacks", coordinate.name, name));
  return bounds;
}

// In degrees; of a coordinate with records its first `count` numbers.
std::vector<double> degrees_of(FileCoordinates& file, const VariableHeader& variable, std::size_t count,
                               const std::string& units) {
  std::vector<double> values = file.numbers(variable);
  if (values.size() < count)
    refuse(fmt::format("{} has {} values; expected {}", variable.name, values.size(), count));
  values.resize(count);
  return in_degrees(std::move(values), units);
}

std::vector<double> bounds_in_degrees(FileCoordinates& file, const VariableHeader& coordinate,
                                      std::size_t count) {
  const VariableHeader* const bounds = bounds_of(file, coordinate);
  if (bounds == nullptr) return {};
  const std::string own = text(*bounds, "units");
  return degrees_of(file, *bounds, count, own.empty() ? text(coordinate, "units") : own);
}

// One after the other without a step of a turn: 350, 355, 0, 5 become 350, 355, 360, 365.
void unwrap(std::vector<double>& lon, std::vector<double>& bounds) {
  for (std::size_t i = 0; i < lon.size(); ++i) {
    if (i > 0) lon[i] -= 360.0 * std::round((lon[i] - lon[i - 1]) / 360.0);
    for (std::size_t b = 2 * i; b < std::min(2 * i + 2, bounds.size()); ++b)
      bounds[b] -= 360.0 * std::round((bounds[b] - lon[i]) / 360.0);
  }
}

SourceGrid rows_and_columns(FileCoordinates& file, const Found& lat, const Found& lon) {
  RowsAndColumns cells;
  const auto values = [&](const Found& of) {
    return degrees_of(file, *of.coordinate, base::index(of.coordinate->shape.back()),
                      text(*of.coordinate, "units"));
  };
  cells.lat = values(lat);
  cells.lon = values(lon);
  cells.lat_bounds = bounds_in_degrees(file, *lat.coordinate, 2 * cells.lat.size());
  cells.lon_bounds = bounds_in_degrees(file, *lon.coordinate, 2 * cells.lon.size());
  unwrap(cells.lon, cells.lon_bounds);
  cells.lat_first = lat.dims.front() < lon.dims.front();
  return {{std::min(lat.dims.front(), lon.dims.front()), std::max(lat.dims.front(), lon.dims.front())},
          std::move(cells)};
}

// Corners that are missing repeat the one before: cells may have fewer than others.
void repeat_missing(std::vector<double>& corners, std::size_t width) {
  for (std::size_t i = 0; i < corners.size(); ++i)
    if (i % width > 0 && std::isnan(corners[i])) corners[i] = corners[i - 1];
}

SourceGrid listed_cells(FileCoordinates& file, const VariableHeader& variable, const Found& lat,
                        const Found& lon) {
  if (lat.dims != lon.dims || !std::ranges::is_sorted(lat.dims))
    refuse(
        fmt::format("{} and {} lie along different dims of it", lat.coordinate->name, lon.coordinate->name));
  ListedCells cells;
  std::size_t count = 1;
  for (const std::size_t d : lat.dims) {
    cells.shape.push_back(variable.shape[d]);
    count *= base::index(variable.shape[d]);
  }
  CellGeometry& geometry = cells.geometry;
  geometry.lat = degrees_of(file, *lat.coordinate, count, text(*lat.coordinate, "units"));
  geometry.lon = degrees_of(file, *lon.coordinate, count, text(*lon.coordinate, "units"));
  const VariableHeader* const bounds = bounds_of(file, *lat.coordinate);
  if (bounds != nullptr && !bounds->shape.empty()) {
    const std::size_t width = base::index(bounds->shape.back());
    geometry.corners = bounds->shape.back();
    geometry.lat_corners = bounds_in_degrees(file, *lat.coordinate, count * width);
    geometry.lon_corners = bounds_in_degrees(file, *lon.coordinate, count * width);
    if (geometry.lon_corners.empty())
      refuse(fmt::format("{} has bounds and {} has none", lat.coordinate->name, lon.coordinate->name));
    repeat_missing(geometry.lat_corners, width);
    repeat_missing(geometry.lon_corners, width);
  }
  return {lat.dims, std::move(cells)};
}

void check_places(const std::vector<double>& lat, const std::vector<double>& lon) {
  for (std::size_t i = 0; i < lat.size(); ++i)
    if (!std::isfinite(lat[i]) || std::abs(lat[i]) > 90.0 + 1e-6)
      refuse(fmt::format("the latitude of cell {} (counted from 0) is {}; expected -90 to 90", i, lat[i]));
  for (std::size_t i = 0; i < lon.size(); ++i)
    if (!std::isfinite(lon[i]))
      refuse(fmt::format("the longitude of cell {} (counted from 0) is {}", i, lon[i]));
}

SourceGrid grid_of_coordinates(FileCoordinates& file, const VariableHeader& variable) {
  const Found lat = find_coordinate(file, variable, DimKind::latitude);
  const Found lon = find_coordinate(file, variable, DimKind::longitude);
  if (lat.coordinate == nullptr || lon.coordinate == nullptr) {
    const bool has_rotated = std::ranges::any_of(file.coordinates_of(variable),
                                                 [](const VariableHeader* one) { return is_rotated(*one); });
    refuse(
        fmt::format("to be regridded it needs coordinates of latitude and longitude along its dims {}, and "
                    "it has no {}{}",
                    fmt::join(variable.dims, ", "), lat.coordinate == nullptr ? "latitude" : "longitude",
                    has_rotated ? "; those of a rotated pole do not serve: expected that the attribute "
                                  "`coordinates` names those on the Earth"
                                : ""));
  }
  const bool are_axes = lat.dims.size() == 1 && lon.dims.size() == 1 && lat.dims != lon.dims;
  return are_axes ? rows_and_columns(file, lat, lon) : listed_cells(file, variable, lat, lon);
}

}  // namespace

SourceGrid source_grid_of(FileCoordinates& file, const VariableHeader& variable) {
  const VariableHeader* const mapping = mapping_of(file, variable);
  if (mapping != nullptr && is_healpix(*mapping)) return healpix_grid(file, variable, *mapping);
  SourceGrid grid;
  if (const auto mesh = mesh_cells(file, variable))
    grid = {{mesh->dim}, ListedCells{mesh->geometry, {variable.shape[mesh->dim]}}};
  else
    grid = grid_of_coordinates(file, variable);
  if (const auto* rows = std::get_if<RowsAndColumns>(&grid.cells)) check_places(rows->lat, rows->lon);
  if (const auto* listed = std::get_if<ListedCells>(&grid.cells))
    check_places(listed->geometry.lat, listed->geometry.lon);
  return grid;
}

std::string centres_of(const SourceGrid& grid) {
  std::uint64_t digest = base::empty_digest;
  const auto add = [&digest](const std::vector<double>& values) {
    digest = base::digest(std::as_bytes(std::span(values)), digest);
  };
  bool lat_first = true;
  if (const auto* rows = std::get_if<RowsAndColumns>(&grid.cells)) {
    add(rows->lat);
    add(rows->lon);
    lat_first = rows->lat_first;
  } else if (const auto* listed = std::get_if<ListedCells>(&grid.cells)) {
    add(listed->geometry.lat);
    add(listed->geometry.lon);
  }
  return fmt::format("{}{} {:016x}", regrid::text_of(grid.cells), lat_first ? "" : " turned", digest);
}

}  // namespace tailrace::input
