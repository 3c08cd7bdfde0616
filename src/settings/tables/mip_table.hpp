// A table of variables as MIPs publish them for CMOR: JSON with a "Header" and a "variable_entry" for each
// variable (PCMDI/cmip6-cmor-tables, WCRP-CMIP/cmip7-cmor-tables), and the coordinates that these share
// ("axis_entry" of CMIP6_coordinate.json).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/location.hpp"
#include "model/declarations.hpp"

namespace tailrace::settings {

struct MipVariable {
  std::string table, name;    // Amon, tas
  config::Location location;  // in the file, once it is asked for
  std::string out_name, standard_name, long_name, units, cell_methods, comment, positive, frequency;
  std::string type;  // real, double, integer
  std::vector<std::string> dimensions;
  std::optional<double> missing_value;

  std::string title() const { return table + "/" + name; }
  bool has_time() const;  // otherwise it is fixed
};

struct MipTable {
  std::string name;  // as a configuration asks for it
  std::string file;
  std::map<std::string, MipVariable> variables;
};

// `name` is what the configuration calls it. Throws Error(configuration) with the place in the file for what
// is no such table.
MipTable mip_table_from_json(const std::string& name, const std::string& file, const std::string& text);

// The dimensions that have one value, such as a height of 2 m: they become coordinates without dims. Those of
// words (an area type) have none of the two numbers and only their name.
using MipScalars = std::map<std::string, std::optional<model::Coordinate>>;
MipScalars mip_scalars_from_json(const std::string& file, const std::string& text);

}  // namespace tailrace::settings
