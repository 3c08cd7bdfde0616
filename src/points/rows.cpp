#include "points/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/nearest_name.hpp"
#include "base/utf8.hpp"

namespace tailrace::points {
namespace {

const ColumnNames& column_names() {
  static const ColumnNames names{{"station_name", "latitude", "longitude", "altitude"},
                                 {{"name", "station_name"},
                                  {"station", "station_name"},
                                  {"lat", "latitude"},
                                  {"lon", "longitude"},
                                  {"alt", "altitude"},
                                  {"elevation", "altitude"}}};
  return names;
}

Column role_of(const std::string& name, bool on_sphere) {
  if (name == "station_name") return Column::name;
  if (name == "altitude") return Column::altitude;
  const bool is_place = name == "latitude" || name == "longitude";
  return is_place || !on_sphere ? Column::coordinate : Column::other;
}

}  // namespace

bool normalise_names(std::vector<Cell>& names, const ColumnNames& columns, const std::string& path,
                     config::Problems& problems) {
  for (Cell& name : names) {
    std::string lower = name.text;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (const auto found = columns.synonyms.find(lower); found != columns.synonyms.end())
      name.text = found->second;
    else if (std::ranges::count(columns.known, lower) > 0)
      name.text = lower;
  }
  bool clear = true;
  const auto tell = [&](const Cell& at, const std::string& what) {
    problems.add(at.location, path, what);
    clear = false;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto is_same = [&](const Cell& other) { return other.text == names[i].text; };
    if (std::any_of(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), is_same))
      tell(names[i], fmt::format("\"{}\" occurs twice", names[i].text));
    else if (std::ranges::count(columns.known, names[i].text) == 0 &&
             base::nearest_name(names[i].text, columns.known))
      tell(names[i], fmt::format("\"{}\" is unknown.{}", base::quotable(names[i].text),
                                 base::name_hint(names[i].text, columns.known)));
  }
  return clear;
}

std::vector<Column> columns_of(std::vector<Cell>& names, const std::string& path,
                               config::Problems& problems) {
  if (!normalise_names(names, column_names(), path, problems)) return {};
  const auto has = [&](const char* name) { return std::ranges::count(names, name, &Cell::text) > 0; };
  const bool on_sphere = has("latitude") && has("longitude");
  std::vector<Column> columns;
  for (const Cell& name : names) columns.push_back(role_of(name.text, on_sphere));
  if (const auto count = std::ranges::count(columns, Column::coordinate); count != 2) {
    problems.add(
        names.empty() ? config::Location{} : names.front().location, path,
        fmt::format("expected latitude and longitude, or two coordinates of the model's grid such as x "
                    "and y, but got {}",
                    count == 0 ? "none" : fmt::format("{}", count)));
    return {};
  }
  return columns;
}

std::optional<double> number_of(const Cell& cell, const std::string& path, config::Problems& problems) {
  double value = 0.0;
  const char* const end = cell.text.data() + cell.text.size();
  const auto [rest, error] = std::from_chars(cell.text.data(), end, value);
  if (error == std::errc() && rest == end && std::isfinite(value)) return value;
  problems.add(cell.location, path,
               fmt::format("expected a number, but got \"{}\"", base::quotable(cell.text)));
  return std::nullopt;
}

void check_names(const Stations& stations, config::Problems& problems) {
  std::map<std::string, const Station*> seen;
  for (const Station& station : stations.points) {
    if (station.name.empty()) problems.add(station.location, stations.config_path, "a station has no name");
    const auto [first, fresh] = seen.try_emplace(station.name, &station);
    if (!fresh)
      problems.add(station.location, stations.config_path,
                   fmt::format("there are two stations \"{}\"; the other is at {}",
                               base::quotable(station.name), first->second->location.text()));
  }
  if (stations.points.empty())
    problems.add(stations.location, stations.config_path, "expected at least one station");
}

}  // namespace tailrace::points
