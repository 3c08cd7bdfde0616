#include "settings/apply_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest_name.hpp"
#include "config/problems.hpp"
#include "mip_tables/tables.hpp"
#include "settings/fill_from_table.hpp"

namespace tailrace::settings {
namespace {

using config::Problems;

class Applying {
 public:
  Applying(const Configuration& configuration, const config::Sources& sources, Problems& problems)
      : configuration_(configuration), tables_(sources, problems), problems_(problems) {}

  void apply(OutputEntry& file) {
    std::vector<VariableEntry> variables;
    for (VariableEntry& variable : file.variables) {
      if (!variable.cmip || is_open(variable.cmip->table) || is_open(variable.cmip->variable))
        variables.push_back(std::move(variable));
      else if (!variable.field.empty())
        variables.push_back(filled(std::move(variable)));
      else
        spread(std::move(variable), variables);
    }
    file.variables = std::move(variables);
  }

 private:
  // Makes a variable for each field of a group or pattern.
  void spread(VariableEntry&& whole, std::vector<VariableEntry>& into) {
    if (!whole.cmip->variable.empty())
      problems_.add(whole.cmip->location, whole.config_path + ".cmip",
                    fmt::format("many fields cannot be one variable of a table; expected the table alone, "
                                "`cmip: {}`, where each field has the name of its variable",
                                whole.cmip->table));
    const std::vector<std::string> names = fields_of(whole, configuration_);
    if (names.empty()) return into.push_back(std::move(whole));  // its name is reported to match nothing
    for (const std::string& name : names) {
      VariableEntry one = whole;
      one.cmip = std::make_shared<mip_tables::Request>(*whole.cmip);
      one.group.clear();
      one.pattern.clear();
      one.field = name;
      into.push_back(whole.cmip->variable.empty() ? filled(std::move(one)) : std::move(one));
    }
  }

  VariableEntry filled(VariableEntry variable) {
    const std::string path = variable.config_path + ".cmip";
    mip_tables::Request& request = *variable.cmip;
    if (is_open(variable.field) && request.variable.empty()) return variable;
    if (request.variable.empty()) request.variable = variable.field.substr(variable.field.rfind('.') + 1);
    const mip_tables::Table* table = tables_.find(request, path);
    if (table == nullptr) return variable;
    const auto found = table->variables.find(request.variable);
    if (found == table->variables.end()) {
      std::vector<std::string> known;
      for (const auto& [name, entry] : table->variables) known.push_back(name);
      problems_.add(request.location, path,
                    fmt::format("table \"{}\" ({}) has no variable \"{}\".{}", request.table, table->file,
                                request.variable, base::name_hint(request.variable, known)));
      return variable;
    }
    mip_tables::TableVariable variable_of_table = found->second;
    variable_of_table.location = tables_.place_of(variable_of_table);
    request.is = std::make_shared<const mip_tables::TableVariable>(std::move(variable_of_table));
    fill_from_table(variable, tables_.scalars_of(*table), problems_);
    return variable;
  }

  const Configuration& configuration_;
  mip_tables::Tables tables_;
  Problems& problems_;
};

}  // namespace

void apply_tables(Configuration& configuration, const config::Sources& sources, Problems& problems) {
  Applying applying(configuration, sources, problems);
  for (OutputEntry& file : configuration.files) applying.apply(file);
}

}  // namespace tailrace::settings
