#include "settings/stations/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "settings/fields.hpp"
#include "settings/stations/rows.hpp"
#include "tailrace/error.hpp"

namespace tailrace::settings::stations {
namespace {

std::string path_from(const std::string& configuration, const std::string& file) {
  return (std::filesystem::path(configuration).parent_path() / file).lexically_normal().string();
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Cells of a line; those in quotes may hold commas, and quotes as "".
std::vector<Cell> cells_of(std::string_view line, config::Location at) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t", i), line.size());
    at.column = static_cast<int>(begin) + 1;
    Cell cell{"", at};
    if (begin < line.size() && line[begin] == '"') {
      for (i = begin + 1; i < line.size(); ++i) {
        if (line[i] == '"' && (i + 1 == line.size() || line[++i] != '"')) break;
        cell.text += line[i];
      }
      i = std::min(line.find(',', i), line.size());
    } else {
      const std::size_t end = std::min(line.find(',', i), line.size());
      cell.text = trimmed(line.substr(i, end - i));
      i = end;
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

class Table {
 public:
  Table(Stations& stations, config::Problems& problems) : stations_(stations), problems_(problems) {}

  void read(const std::string& name, std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // as some editors put it
    config::Location at{name, 0, 1};
    while (!text.empty() && sound_) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++at.line;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
      if (const std::size_t valid = base::valid_utf8(line); valid < line.size()) {
        at.column = static_cast<int>(valid) + 1;
        return problems_.add(at, stations_.config_path, "expected text in UTF-8");
      }
      take(cells_of(line, at));
    }
    if (sound_) check_names(stations_, problems_);
  }

 private:
  void take(std::vector<Cell> cells) {
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
    for (const config::NodeEntry& file : output->value.entries) {
      const config::NodeEntry* stations = file.value.find("stations");
      const config::NodeEntry* table = stations == nullptr ? nullptr : stations->value.find("file");
      if (table == nullptr || table->value.kind != config::NodeKind::scalar || is_open(table->value.text))
        continue;
      const config::Location& at = table->value.location;
      tables.push_back(
          {path_from(at.file, table->value.text), at, fmt::format("output.{}.stations.file", file.key)});
    }
  }
  return tables;
}

void read_tables(std::vector<FileEntry>& files, const config::Sources& sources, config::Problems& problems) {
  for (FileEntry& file : files) {
    if (!file.stations || file.stations->file.empty()) continue;
    Stations& stations = *file.stations;
    const std::string path = path_from(stations.file_location.file, stations.file);
    const auto source = std::ranges::find(sources, path, &config::SourceFile::name);
    if (source != sources.end()) {
      Table(stations, problems).read(path, source->text);
    } else {
      problems.add(stations.file_location, stations.config_path + ".file",
                   "tables of stations are read before the model gives its options, so no `{name}` can stand "
                   "here");
    }
  }
}

}  // namespace tailrace::settings::stations
