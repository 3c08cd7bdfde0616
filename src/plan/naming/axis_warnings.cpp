#include "plan/naming/axis_warnings.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "model/axis.hpp"
#include "model/directions.hpp"

namespace tailrace::plan {
namespace {

std::string of_values(std::int64_t count, const char* one, const char* several, double example) {
  return fmt::format("{} of its values {}, such as {}", count, count == 1 ? one : several, example);
}

void add_warnings(const std::string& what, const model::Coordinate& coordinate,
                  std::vector<std::string>& warnings) {
  if (model::is_axis(coordinate) && !coordinate.values.empty())
    if (const auto complaint = model::axis_complaint(coordinate.values)) {
      const bool jumps = model::is_longitude(coordinate) && model::unrolled(coordinate.values);
      warnings.push_back(fmt::format(
          "{}: {}, but a coordinate variable increases or decreases strictly and has no missing values (CF "
          "1.2); it is written as an auxiliary coordinate, along the dimension \"{}\"{}",
          what, *complaint, dim_if_unordered(coordinate.name),
          jumps ? ". Longitudes that go on behind the jump (add or subtract 360) would be an axis" : ""));
      return;
    }
  const model::OddValues& odd = coordinate.odd;
  if (odd.infinite > 0)
    warnings.push_back(
        fmt::format("{}: {}", what, of_values(odd.infinite, "is infinite", "are infinite", odd.example)));
  if (odd.beyond_poles > 0)
    warnings.push_back(
        fmt::format("{}: {}; expected -90 to 90, and NaN for cells without a place", what,
                    of_values(odd.beyond_poles, "is beyond the poles", "are beyond the poles", odd.example)));
}

}  // namespace

std::string dim_if_unordered(const std::string& dim) { return dim + "_index"; }

std::vector<std::string> coordinate_warnings(const model::Declarations& declarations) {
  std::vector<std::string> warnings;
  for (const model::Grid& grid : declarations.grids)
    for (const model::Coordinate& coordinate : grid.coordinates)
      add_warnings(fmt::format("grid \"{}\": coordinate \"{}\"", grid.name, coordinate.name), coordinate,
                   warnings);
  for (const model::Field& field : declarations.fields)
    for (const model::Coordinate& coordinate : field.coordinates)
      add_warnings(fmt::format("field \"{}\": coordinate \"{}\"", field.name, coordinate.name), coordinate,
                   warnings);
  return warnings;
}

}  // namespace tailrace::plan
