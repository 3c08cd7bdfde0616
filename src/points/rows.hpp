// The columns of tables of points, and the cells of their rows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/problems.hpp"
#include "points/stations.hpp"

namespace tailrace::points {

struct Cell {
  std::string text;
  config::Location location;
};

// The names that columns may have.
struct ColumnNames {
  std::vector<std::string> known;
  std::map<std::string, std::string> synonyms;  // synonym -> known name
};
// Replaces synonyms by the known names, whatever their case. Two columns with one name, or a name that is
// close to a known one, are problems at `path`; the result is then false.
bool normalise_names(std::vector<Cell>& names, const ColumnNames& columns, const std::string& path,
                     config::Problems& problems);

enum class Column { name, altitude, coordinate, other };

// The role of each column of a table of stations. The names are normalised. Columns of role `other` are
// allowed only beside latitude and longitude. Empty, with a problem, if the columns describe no stations.
std::vector<Column> columns_of(std::vector<Cell>& names, const std::string& path, config::Problems& problems);

// The number in a cell. None, with a problem, if it is not a finite number.
std::optional<double> number_of(const Cell& cell, const std::string& path, config::Problems& problems);

// Checks that there are stations, and that each has a name of its own.
void check_names(const Stations& stations, config::Problems& problems);

}  // namespace tailrace::points
