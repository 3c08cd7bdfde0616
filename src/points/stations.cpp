#include "points/stations.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/read.hpp"
#include "points/rows.hpp"
#include "points/trajectories.hpp"

namespace tailrace::points {
namespace {

using namespace config;

Type stations_type() {
  return section({
      {.name = "file",
       .type = text(),
       .description =
           "A table of the stations, relative to the configuration file that names it: values with commas "
           "between "
           "them, the first line with the names of the columns: `station_name`, `latitude` and `longitude` "
           "or two coordinates of the grid, and `altitude`.",
       .example = "stations.csv"},
      {.name = "points",
       .type = map("station", map("coordinate", real(-1e308))),
       .description =
           "The stations by name, in place of a `file`: `latitude` and `longitude` or two coordinates of "
           "the grid, and `altitude` in metres.",
       .example = "{Hamburg: {latitude: 53.55, longitude: 9.99, altitude: 8}}"},
      {.name = "method",
       .type = choice({"nearest", "bilinear"}),
       .description =
           "Whether a station gets the value of the nearest cell, or one between the four cells around it.",
       .example = "bilinear",
       .default_value = "nearest"},
  });
}

// All stations must give the same coordinates, in any order.
void add_point(const ValueEntry& entry, Stations& all, Problems& problems) {
  std::vector<Cell> names;
  for (const ValueEntry& one : entry.value.entries()) names.push_back({one.key, one.location});
  if (names.empty()) names.push_back({"", entry.location});
  const std::vector<Column> columns = columns_of(names, entry.value.path(), problems);
  if (columns.empty()) return;
  Station station{.name = entry.key, .location = entry.location, .at = {}, .altitude = {}};
  std::vector<std::pair<std::string, double>> at;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double value = entry.value.entries()[i].value.real();
    if (columns[i] == Column::altitude) station.altitude = value;
    if (columns[i] == Column::coordinate) at.emplace_back(names[i].text, value);
  }
  std::ranges::sort(at);
  std::vector<std::string> coordinates;
  for (const auto& [name, value] : at) {
    coordinates.push_back(name);
    station.at.push_back(value);
  }
  if (all.points.empty()) all.coordinates = coordinates;
  const Station& first = all.points.empty() ? station : all.points.front();
  if (coordinates != all.coordinates || station.altitude.has_value() != first.altitude.has_value())
    return problems.add(
        entry.location, entry.value.path(),
        "expected the same coordinates as of the first station, and an altitude of all or none");
  all.points.push_back(std::move(station));
}

Stations read(const Value& value, Problems& problems) {
  Stations all;
  all.location = value.location();
  all.config_path = value.path();
  all.method = choice_of<Sampling>(value, "method",
                                   {{"nearest", Sampling::nearest}, {"bilinear", Sampling::bilinear}});
  if (const Value* method = value.find("method")) all.method_location = method->location();
  const Value* file = value.find("file");
  const Value* points = value.find("points");
  if ((file != nullptr) == (points != nullptr))
    problems.add(value.location(), value.path(), "expected either `file` or `points`");
  if (file != nullptr) {
    all.file = file->text();
    all.file_location = file->location();
  } else if (points != nullptr) {
    for (const ValueEntry& entry : points->entries()) add_point(entry, all, problems);
    if (points->entries().empty()) check_names(all, problems);
  }
  return all;
}

}  // namespace

const PointSet& Request::points() const {
  return stations != nullptr ? static_cast<const PointSet&>(*stations) : *trajectories;
}

config::Section<Stations> stations_section() {
  return {
      .option = {.name = "stations",
                 .type = stations_type(),
                 .description = "Points at which the file holds its variables, in place of the horizontal "
                                "dimensions of the grid.",
                 .example = "{file: stations.csv, method: bilinear}"},
      .read = read};
}

}  // namespace tailrace::points
