#include "model/directions.hpp"

#include <functional>
#include <set>
#include <string>

namespace tailrace::model {
namespace {

using Words = std::set<std::string, std::less<>>;

}  // namespace

bool is_latitude(const Coordinate& coordinate) {
  static const Words units{"degrees_north", "degree_north", "degrees_N", "degree_N", "degreesN", "degreeN"};
  return units.contains(coordinate.units) || coordinate.standard_name == "latitude";
}

bool is_longitude(const Coordinate& coordinate) {
  static const Words units{"degrees_east", "degree_east", "degrees_E", "degree_E", "degreesE", "degreeE"};
  return units.contains(coordinate.units) || coordinate.standard_name == "longitude";
}

bool is_vertical(const Coordinate& coordinate) {
  static const Words units{"Pa", "hPa", "mbar", "millibar", "bar", "decibar", "dbar"};
  static const Words names{"altitude", "height", "depth", "air_pressure", "model_level_number"};
  return text_of(coordinate.attributes, "axis") == "Z" ||
         !text_of(coordinate.attributes, "positive").empty() || units.contains(coordinate.units) ||
         names.contains(coordinate.standard_name);
}

HorizontalCoordinates horizontal_coordinates(const Grid& grid) {
  const auto find = [&grid](bool (*is)(const Coordinate&)) {
    const Coordinate* found = nullptr;
    for (const Coordinate& one : grid.coordinates)
      if (is(one) && one.measure.empty() && !one.standard_name.starts_with("grid_") && !one.dims.empty() &&
          (found == nullptr || one.dims.size() > found->dims.size()))
        found = &one;
    return found;
  };
  return {find(is_latitude), find(is_longitude)};
}

}  // namespace tailrace::model
