#include "cf/stations.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "plan/words/directions.hpp"

namespace tailrace::cf {
namespace {

bool has_levels(const model::Grid& grid) {
  return std::ranges::any_of(grid.coordinates, [&](const model::Coordinate& one) {
    return one.dims.size() == 1 && one.dims[0] != grid.dims[0] && plan::is_vertical(one);
  });
}

}  // namespace

std::string add_station_names(FileLayout& layout, const plan::FilePlan& file, Names& names) {
  const auto found = std::ranges::find(file.variables, true, &plan::VariablePlan::at_stations);
  if (found == file.variables.end()) return "";
  const auto& variables = layout.dataset.variables;
  const auto number = static_cast<std::size_t>(found - file.variables.begin());
  // Behind the time.
  const int stations = variables[static_cast<std::size_t>(layout.variables[number].variable)].dims.at(1);
  output::TextSpec text;
  text.name = names.take("station_name", "stations");
  std::size_t longest = 1;
  for (const settings::Station& station : file.entry.stations->points) {
    text.values.push_back(station.name);
    longest = std::max(longest, station.name.size());
  }
  text.dims = {stations, static_cast<int>(layout.dataset.dims.size())};
  layout.dataset.dims.push_back(
      {names.take("name_strlen", "stations"), static_cast<std::int64_t>(longest), false});
  text.attributes = {{"long_name", std::string("name of the station")},
                     {"cf_role", std::string("timeseries_id")}};
  layout.dataset.texts.push_back(text);
  return text.name;
}

void add_feature_type(output::Attributes& attributes, const plan::FilePlan& file,
                      const model::Declarations& declarations) {
  std::set<bool> levels;
  for (const plan::VariablePlan& variable : file.variables) {
    const model::Field& field = declarations.fields[static_cast<std::size_t>(variable.field)];
    if (variable.at_stations)
      levels.insert(has_levels(declarations.grids[static_cast<std::size_t>(field.grid)]));
  }
  const bool given =
      std::ranges::count(attributes, "featureType", &output::Attributes::value_type::first) > 0;
  if (levels.size() == 1 && !given)
    attributes.emplace_back("featureType",
                            std::string(levels.contains(true) ? "timeSeriesProfile" : "timeSeries"));
}

}  // namespace tailrace::cf
