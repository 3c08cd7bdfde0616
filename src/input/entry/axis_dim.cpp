#include "input/entry/axis_dim.hpp"

#include "model/directions.hpp"
#include "units/unit_system.hpp"

namespace tailrace::input {
namespace {

DimKind kind_of_coordinate(const model::Coordinate& coordinate) {
  if (model::is_latitude(coordinate)) return DimKind::latitude;
  if (model::is_longitude(coordinate)) return DimKind::longitude;
  if (model::is_vertical(coordinate)) return DimKind::vertical;
  return kind_of(coordinate.units, coordinate.standard_name, model::text_of(coordinate.attributes, "axis"),
                 model::text_of(coordinate.attributes, "positive"));
}

// The one with the dim's name, or the only one along it: a list of cells has two, which are none of the dim.
const model::Coordinate* coordinate_along(const model::Grid& grid, const std::string& dim) {
  const model::Coordinate* only = nullptr;
  int count = 0;
  for (const model::Coordinate& one : grid.coordinates) {
    if (one.dims.size() != 1 || one.dims.front() != dim || !one.measure.empty()) continue;
    if (one.name == dim) return &one;
    only = &one;
    ++count;
  }
  return count == 1 ? only : nullptr;
}

}  // namespace

std::vector<double> in_degrees(std::vector<double> values, const std::string& units) {
  if (units.empty() || units == "1") return values;  // UDUNITS takes them for radians
  const auto conversion = units::unit_system().conversion(units, "degree");
  if (!conversion || conversion->same()) return values;
  for (double& value : values) value = value * conversion->scale + conversion->offset;
  return values;
}

std::vector<AxisDim> dims_of(const model::Grid& grid) {
  std::vector<AxisDim> dims;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    AxisDim& dim = dims.emplace_back();
    dim.name = grid.dims[d];
    dim.length = grid.shape[d];
    const model::Coordinate* const coordinate = coordinate_along(grid, dim.name);
    if (coordinate == nullptr) continue;
    dim.kind = kind_of_coordinate(*coordinate);
    dim.units = coordinate->units;
    dim.coordinate = coordinate->values;
    if (dim.kind == DimKind::latitude || dim.kind == DimKind::longitude)
      dim.coordinate = in_degrees(std::move(dim.coordinate), dim.units);
  }
  return dims;
}

}  // namespace tailrace::input
