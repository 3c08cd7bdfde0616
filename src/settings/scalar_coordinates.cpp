#include "settings/scalar_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/read.hpp"
#include "output/options.hpp"
#include "output/variable_name.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

constexpr double largest = 1e308;

Type coordinate_type() {
  return section({
      {.name = "value",
       .type = real(-largest),
       .description = "Where along the coordinate all cells of the variable are.",
       .example = "2",
       .required = true},
      {.name = "units", .type = text(), .description = "The units of the value.", .example = "m"},
      {.name = "standard_name", .type = text(), .description = "Its CF standard name.", .example = "height"},
      {.name = "long_name",
       .type = text(),
       .description = "A description in words.",
       .example = "height above ground"},
      {.name = "bounds",
       .type = list(real(-largest), 2),
       .description = "The bounds of the interval that the value represents.",
       .example = "[0, 10]"},
      output::variable_attributes_option("Further attributes of the coordinate, such as `positive`."),
  });
}

void read_bounds(const ValueEntry& entry, model::Coordinate& coordinate, Problems& problems) {
  const Value* bounds = entry.value.find("bounds");
  if (bounds == nullptr) return;
  for (const Value& end : bounds->items()) coordinate.bounds.push_back(end.real());
  if (coordinate.bounds.size() != 2)
    return problems.add(bounds->location(), bounds->path(),
                        fmt::format("expected two numbers, but got {}", coordinate.bounds.size()));
  const auto [low, high] = std::minmax(coordinate.bounds[0], coordinate.bounds[1]);
  if (coordinate.values.front() < low || coordinate.values.front() > high)
    problems.add(bounds->location(), bounds->path(),
                 fmt::format("the value {} is not between them", coordinate.values.front()));
}

model::Coordinate coordinate_of(const ValueEntry& entry, Problems& problems) {
  model::Coordinate coordinate;
  coordinate.name = entry.key;
  const Value* value = entry.value.find("value");
  coordinate.values = {value == nullptr ? 0.0 : value->real()};
  coordinate.units = text_of(entry.value, "units");
  coordinate.standard_name = text_of(entry.value, "standard_name");
  coordinate.long_name = text_of(entry.value, "long_name");
  for (const auto& [name, attribute] : output::attributes_of(entry.value))
    coordinate.attributes[name] = attribute;
  read_bounds(entry, coordinate, problems);
  return coordinate;
}

std::vector<model::Coordinate> read(const Value& value, Problems& problems) {
  std::vector<model::Coordinate> coordinates;
  for (const ValueEntry& entry : value.entries()) coordinates.push_back(coordinate_of(entry, problems));
  return coordinates;
}

}  // namespace

config::Section<std::vector<model::Coordinate>> scalar_coordinates_section() {
  Type coordinates = map("coordinate", coordinate_type());
  coordinates.complaint = output::variable_name_type().complaint;
  return {.option = {.name = "coordinates",
                     .type = std::move(coordinates),
                     .description =
                         "Coordinates with one value, which holds for all cells, such as a height of 2 m.",
                     .example = "{height: {value: 2, units: m, standard_name: height}}"},
          .read = read};
}

}  // namespace tailrace::settings
