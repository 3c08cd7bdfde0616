#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "config/placeholders.hpp"
#include "points/csv.hpp"
#include "points/rows.hpp"
#include "points/tables.hpp"
#include "tailrace/error.hpp"

namespace tailrace::points {
namespace {

class Table {
 public:
  Table(Stations& stations, config::Problems& problems) : stations_(stations), problems_(problems) {}

  void read(const std::string& name, std::string_view text) {
    const auto take_row = [this](std::vector<Cell>& cells) {
      take(cells);
      return sound_;
    };
    if (read_rows(name, text, stations_.config_path, problems_, take_row)) check_names(stations_, problems_);
  }

 private:
  void take(std::vector<Cell>& cells) {
    if (!columns_.empty()) return add(cells);
    const config::Location at = cells.front().location;
    columns_ = columns_of(cells, stations_.config_path, problems_);
    sound_ = !columns_.empty();
    if (sound_ && std::ranges::count(columns_, Column::name) == 0) {
      sound_ = false;
      problems_.add(at, stations_.config_path,
                    "expected a column `station_name`: the first line has the names of the columns");
    }
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i] == Column::coordinate) stations_.coordinates.push_back(cells[i].text);
  }

  void add(const std::vector<Cell>& cells) {
    if (cells.size() != columns_.size())
      return problems_.add(cells.front().location, stations_.config_path,
                           fmt::format("expected {} values, as many as there are columns, but got {}",
                                       columns_.size(), cells.size()));
    Station station{.name = {}, .location = cells.front().location, .at = {}, .altitude = {}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i] == Column::name) station.name = cells[i].text;
      if (columns_[i] == Column::name || columns_[i] == Column::other) continue;
      const auto number = number_of(cells[i], stations_.config_path, problems_);
      if (columns_[i] == Column::altitude)
        station.altitude = number;
      else
        station.at.push_back(number.value_or(0.0));
    }
    stations_.points.push_back(std::move(station));
  }

  Stations& stations_;
  config::Problems& problems_;
  std::vector<Column> columns_;
  bool sound_ = true;
};

}  // namespace

std::vector<config::DataFile> tables_in(const std::vector<config::Node>& trees) {
  std::vector<config::DataFile> tables;
  for (const config::Node& tree : trees) {
    const config::NodeEntry* output = tree.find("output");
    if (output == nullptr) continue;
    for (const config::NodeEntry& file : output->value.entries)
      for (const char* option : {"stations", "trajectories"}) {
        const config::NodeEntry* points = file.value.find(option);
        const config::NodeEntry* table = points == nullptr ? nullptr : points->value.find("file");
        if (table == nullptr || table->value.kind != config::NodeKind::scalar ||
            config::is_open(table->value.text))
          continue;
        const config::Location& at = table->value.location;
        tables.push_back({config::path_beside(at.file, table->value.text), at,
                          fmt::format("output.{}.{}.file", file.key, option)});
      }
  }
  return tables;
}

const config::SourceFile* table_of(const PointSet& points, const config::Sources& sources,
                                   config::Problems& problems) {
  const std::string path = config::path_beside(points.file_location.file, points.file);
  const auto source = std::ranges::find(sources, path, &config::SourceFile::name);
  if (source != sources.end()) return &*source;
  problems.add(
      points.file_location, points.config_path + ".file",
      "the path may not contain `{name}`: tables of points are read before the model gives its options");
  return nullptr;
}

void read_table(Stations& stations, const config::Sources& sources, config::Problems& problems) {
  if (stations.file.empty()) return;
  if (const config::SourceFile* source = table_of(stations, sources, problems))
    Table(stations, problems).read(source->name, source->text);
}

}  // namespace tailrace::points
