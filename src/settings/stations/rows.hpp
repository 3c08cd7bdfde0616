// From rows of named columns, in a table or in YAML, to stations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/problems.hpp"
#include "settings/stations/stations.hpp"

namespace tailrace::settings::stations {

struct Cell {
  std::string text;
  config::Location location;
};

// Names of columns, and what else these may be called.
struct Words {
  std::vector<std::string> known;
  std::map<std::string, std::string> same;
};
// Gives columns their known names, in whatever case they are. False, with a problem, where two columns have
// one name, or one a name that is nearly a known one.
bool put_right(std::vector<Cell>& names, const Words& words, const std::string& path,
               config::Problems& problems);

enum class Column { name, altitude, coordinate, other };

// What columns of these names hold. `latitude` may be called `lat`, and so on: the names are put right. Only
// beside latitude and longitude may there be others. Adds a problem, and gives nothing, where the columns
// make no stations.
std::vector<Column> columns_of(std::vector<Cell>& names, const std::string& path, config::Problems& problems);

// Of a cell that should be a number; a problem where it is not.
std::optional<double> number_of(const Cell& cell, const std::string& path, config::Problems& problems);

// That names are there, differ, and that there is a station.
void check_names(const Stations& stations, config::Problems& problems);

}  // namespace tailrace::settings::stations
