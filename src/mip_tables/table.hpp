// A table of variables in the form in which MIPs publish them for CMOR: JSON with a "Header" and a
// "variable_entry" for each variable (PCMDI/cmip6-cmor-tables, WCRP-CMIP/cmip7-cmor-tables), and the table of
// the coordinates that these share ("axis_entry" of CMIP6_coordinate.json).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/location.hpp"
#include "model/declarations.hpp"

namespace tailrace::mip_tables {

struct TableVariable {
  std::string table, name;    // Amon, tas
  config::Location location;  // in the file of the table; set only for variables that are asked for
  std::string out_name, standard_name, long_name, units, cell_methods, comment, positive, frequency;
  std::string type;  // real, double, integer
  std::vector<std::string> dimensions;
  std::optional<double> missing_value;

  std::string title() const { return table + "/" + name; }
  bool has_time() const;  // false: the variable is fixed
};

struct Table {
  std::string name;  // as in the configuration
  std::string file;
  std::map<std::string, TableVariable> variables;
};

// `name` is the table's name in the configuration. Throws Error(configuration), with the place in the file,
// if the text is not such a table.
Table table_from_json(const std::string& name, const std::string& file, const std::string& text);

// The dimensions with a single value, such as a height of 2 m: they become coordinates without dims. A
// dimension whose value is a word (an area type) has no coordinate.
using ScalarCoordinates = std::map<std::string, std::optional<model::Coordinate>>;
ScalarCoordinates scalars_from_json(const std::string& file, const std::string& text);

// The first place of a key in the text of a table; line 0 if it is not there. It searches the whole text, so
// it is called only for variables that are asked for.
config::Location place_of_key(const std::string& file, const std::string& text, const std::string& key);

}  // namespace tailrace::mip_tables
