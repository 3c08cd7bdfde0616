#include <cmath>
#include <numbers>

#include "base/index.hpp"
#include "plan/vectors.hpp"

namespace tailrace::plan {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

struct Pole {
  double lat = 0.0, lon = 0.0, grid_lon = 0.0;  // radians
};

double number_of(const model::Attributes& attributes, const char* name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return 0.0;
  const std::vector<double> numbers = model::numbers_of(found->second);
  return numbers.empty() ? 0.0 : numbers.front();
}

std::optional<Pole> pole_of(const model::Grid& grid) {
  if (!grid.mapping) return std::nullopt;
  const model::Attributes& attributes = grid.mapping->attributes;
  if (model::text_of(attributes, "grid_mapping_name") != "rotated_latitude_longitude") return std::nullopt;
  return Pole{number_of(attributes, "grid_north_pole_latitude") * degree,
              number_of(attributes, "grid_north_pole_longitude") * degree,
              number_of(attributes, "north_pole_grid_longitude") * degree};
}

// The angle from true east to growing rotated longitudes at a place on the rotated sphere. The place in true
// directions is found by turning the sphere about its y axis and then about its own; the x direction is the
// derivative of it.
double angle_at(const Pole& pole, double lat, double lon) {
  const double l = lon * degree - pole.grid_lon, p = lat * degree;
  const double sin_pole = std::sin(pole.lat), cos_pole = std::cos(pole.lat);
  const double sin_turn = std::sin(pole.lon), cos_turn = std::cos(pole.lon);
  const double along = cos_pole * std::sin(p) - sin_pole * std::cos(l) * std::cos(p);
  const double across = std::sin(l) * std::cos(p);
  const double x = cos_turn * along + sin_turn * across, y = sin_turn * along - cos_turn * across;
  const double z = cos_pole * std::cos(p) * std::cos(l) + sin_pole * std::sin(p);
  // Without the factor cos(p), which all have in common.
  const double dx = cos_turn * sin_pole * std::sin(l) + sin_turn * std::cos(l);
  const double dy = sin_turn * sin_pole * std::sin(l) - cos_turn * std::cos(l);
  const double dz = -cos_pole * std::sin(l);
  const double true_lat = std::atan2(z, std::hypot(x, y)), true_lon = std::atan2(y, x);
  const double east = -dx * std::sin(true_lon) + dy * std::cos(true_lon);
  const double north =
      -std::sin(true_lat) * (dx * std::cos(true_lon) + dy * std::sin(true_lon)) + dz * std::cos(true_lat);
  return std::atan2(north, east) / degree;
}

const model::Coordinate* axis_of(const model::Grid& grid, const char* standard_name) {
  for (const model::Coordinate& one : grid.coordinates)
    if (one.standard_name == standard_name && one.dims.size() == 1 && !one.values.empty()) return &one;
  return nullptr;
}

}  // namespace

std::optional<model::Coordinate> angle_of_rotated_pole(const model::Grid& grid) {
  const auto pole = pole_of(grid);
  const model::Coordinate* const lat = axis_of(grid, "grid_latitude");
  const model::Coordinate* const lon = axis_of(grid, "grid_longitude");
  if (!pole || lat == nullptr || lon == nullptr) return std::nullopt;
  model::Coordinate angle;
  angle.name = "angle";
  angle.units = "degree";
  for (const std::string& dim : grid.dims)
    if (dim == lat->dims.front() || dim == lon->dims.front()) angle.dims.push_back(dim);
  const bool lat_first = angle.dims.front() == lat->dims.front();
  for (const double slow : lat_first ? lat->values : lon->values)
    for (const double fast : lat_first ? lon->values : lat->values)
      angle.values.push_back(lat_first ? angle_at(*pole, slow, fast) : angle_at(*pole, fast, slow));
  return angle;
}

}  // namespace tailrace::plan
