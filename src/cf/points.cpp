#include "cf/points.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/index.hpp"
#include "cf/text.hpp"
#include "model/directions.hpp"

namespace tailrace::cf {
namespace {

constexpr std::int64_t most_records = 512, most_places = 65536;  // in a chunk

std::vector<std::string> point_names(const settings::OutputEntry& file) {
  std::vector<std::string> names;
  if (file.stations)
    for (const points::Station& station : file.stations->points) names.push_back(station.name);
  else
    for (const points::Trajectory& trajectory : file.trajectories->all) names.push_back(trajectory.name);
  return names;
}

std::string add_names(DatasetLayout& layout, const plan::DatasetPlan& file, int points, Names& names) {
  const std::string what = file.entry.stations ? "station" : "trajectory";
  output::TextSpec text;
  text.name = names.take(what + "_name", file.entry.stations ? "stations" : "trajectories");
  text.values = point_names(file.entry);
  std::size_t longest = 1;
  for (const std::string& name : text.values) longest = std::max(longest, name.size());
  text.dims = {points, static_cast<int>(layout.dataset.dims.size())};
  layout.dataset.dims.push_back({names.take("name_strlen", what), static_cast<std::int64_t>(longest), false});
  text.attributes = {{"long_name", "name of the " + what},
                     {"cf_role", std::string(file.entry.stations ? "timeseries_id" : "trajectory_id")}};
  layout.dataset.texts.push_back(text);
  return text.name;
}

// Each time axis has its own variables: a record has the position at its time.
void add_places(DatasetLayout& layout, const plan::DatasetPlan& file, int points, Names& names) {
  const std::int64_t count = layout.dataset.dims[base::index(points)].size;
  for (AxisLayout& axis : layout.axes)
    for (const model::Coordinate& place : file.places) {
      output::VariableSpec spec;
      spec.name = names.take(place.name, layout.dataset.dims[base::index(axis.dim)].name);
      spec.dims = {axis.dim, points};
      spec.chunk = {std::clamp<std::int64_t>(most_places / count, 1, most_records), count};
      spec.fill_value = model::default_fill(spec.type);
      describe(spec.attributes, place);
      axis.places.push_back(static_cast<int>(layout.dataset.variables.size()));
      layout.dataset.variables.push_back(std::move(spec));
    }
}

bool has_levels(const model::Grid& grid) {
  return std::ranges::any_of(grid.coordinates, [&](const model::Coordinate& one) {
    return one.dims.size() == 1 && one.dims[0] != grid.dims[0] && model::is_vertical(one);
  });
}

}  // namespace

std::vector<std::string> add_point_coordinates(DatasetLayout& layout, const plan::DatasetPlan& file,
                                               Names& names) {
  const auto found = std::ranges::find(file.variables, true, &plan::VariablePlan::at_stations);
  if (found == file.variables.end()) return {};
  const auto& variables = layout.dataset.variables;
  const auto number = base::index(found - file.variables.begin());
  // The dim after time.
  const int points = variables[base::index(layout.variables[number].variable)].dims.at(1);
  if (file.entry.trajectories) add_places(layout, file, points, names);
  return {add_names(layout, file, points, names)};
}

std::vector<std::string> places_of(const DatasetLayout& layout, int axis) {
  std::vector<std::string> places;
  if (axis >= 0)
    for (const int variable : layout.axes[base::index(axis)].places)
      places.push_back(layout.dataset.variables[base::index(variable)].name);
  return places;
}

void add_feature_type(output::Attributes& attributes, const plan::DatasetPlan& file,
                      const model::Declarations& declarations) {
  std::set<bool> levels;
  for (const plan::VariablePlan& variable : file.variables) {
    const model::Field& field = declarations.fields[base::index(variable.field)];
    if (variable.at_stations) levels.insert(has_levels(declarations.grids[base::index(field.grid)]));
  }
  const bool given =
      std::ranges::count(attributes, "featureType", &output::Attributes::value_type::first) > 0;
  const std::string type = file.entry.stations ? "timeSeries" : "trajectory";
  if (levels.size() == 1 && !given)
    attributes.emplace_back("featureType", levels.contains(true) ? type + "Profile" : type);
}

}  // namespace tailrace::cf
