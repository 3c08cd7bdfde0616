#include "settings/tables/apply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest_name.hpp"
#include "config/problems.hpp"
#include "settings/tables/cmip.hpp"
#include "settings/tables/filling.hpp"
#include "settings/tables/mip_table.hpp"
#include "settings/tables/table_place.hpp"

namespace tailrace::settings {
namespace {

using config::Problems;

// The tables among the sources, each read when it is first asked for.
class Tables {
 public:
  Tables(const config::Sources& sources, Problems& problems) : sources_(sources), problems_(problems) {}

  // Null where it is not there, or is none; that is told once for each variable that asks.
  const MipTable* find(const CmipRequest& request, const std::string& path) {
    const config::SourceFile* source = source_of(request.table);
    if (source == nullptr) {
      problems_.add(request.location, path,
                    fmt::format("expected the tables, with \"{}\" among them, under `cmip: {{tables: ...}}`",
                                request.table));
      return nullptr;
    }
    const auto known = tables_.find(request.table);
    if (known != tables_.end()) return known->second ? &*known->second : nullptr;
    std::optional<MipTable>& table = tables_[request.table];
    try {
      table = mip_table_from_json(request.table, source->name, source->text);
    } catch (const Error& error) {
      problems_.add(request.location, path, error.what());
    }
    return table ? &*table : nullptr;
  }

  // In the table's file.
  config::Location place_of(const MipVariable& variable) const {
    const config::SourceFile* source = source_of(variable.table);
    return source == nullptr ? config::Location() : place_of_key(source->name, source->text, variable.name);
  }

  // Of the coordinates that lie beside the table; none where they are not there.
  const MipScalars* scalars_of(const MipTable& table) {
    const std::string file = table_of_path(table.file);
    const std::string name = file.substr(0, file.rfind('_') + 1) + "coordinate";
    for (const config::SourceFile& source : sources_) {
      if (!source.is_data || table_of_path(source.name) != name) continue;
      if (const auto known = scalars_.find(name); known != scalars_.end()) return &known->second;
      try {
        return &(scalars_[name] = mip_scalars_from_json(source.name, source.text));
      } catch (const Error& error) {
        problems_.add({source.name, 0, 0}, "cmip.tables", error.what());
      }
    }
    return nullptr;
  }

 private:
  const config::SourceFile* source_of(const std::string& table) const {
    const config::SourceFile* found = nullptr;
    for (const config::SourceFile& source : sources_) {
      if (!source.is_data || !is_called(source.name, table)) continue;
      if (found == nullptr || table_of_path(source.name) == table) found = &source;
    }
    return found;
  }

  const config::Sources& sources_;
  Problems& problems_;
  std::map<std::string, std::optional<MipTable>> tables_;
  std::map<std::string, MipScalars> scalars_;
};

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
  // A group or pattern: a variable of the table for each field.
  void spread(VariableEntry&& whole, std::vector<VariableEntry>& into) {
    if (!whole.cmip->variable.empty())
      problems_.add(whole.cmip->location, whole.config_path + ".cmip",
                    fmt::format("many fields cannot be one variable of a table; expected the table alone, "
                                "`cmip: {}`, where each field has the name of its variable",
                                whole.cmip->table));
    const std::vector<std::string> names = fields_of(whole, configuration_);
    if (names.empty()) return into.push_back(std::move(whole));  // its name is told to lead nowhere
    for (const std::string& name : names) {
      VariableEntry one = whole;
      one.cmip = std::make_shared<CmipRequest>(*whole.cmip);
      one.group.clear();
      one.pattern.clear();
      one.field = name;
      into.push_back(whole.cmip->variable.empty() ? filled(std::move(one)) : std::move(one));
    }
  }

  VariableEntry filled(VariableEntry variable) {
    const std::string path = variable.config_path + ".cmip";
    CmipRequest& request = *variable.cmip;
    if (is_open(variable.field) && request.variable.empty()) return variable;
    if (request.variable.empty()) request.variable = variable.field.substr(variable.field.rfind('.') + 1);
    const MipTable* table = tables_.find(request, path);
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
    MipVariable variable_of_table = found->second;
    variable_of_table.location = tables_.place_of(variable_of_table);
    request.is = std::make_shared<const MipVariable>(std::move(variable_of_table));
    fill_from_table(variable, tables_.scalars_of(*table), problems_);
    return variable;
  }

  const Configuration& configuration_;
  Tables tables_;
  Problems& problems_;
};

}  // namespace

void apply_tables(Configuration& configuration, const config::Sources& sources, Problems& problems) {
  Applying applying(configuration, sources, problems);
  for (OutputEntry& file : configuration.files) applying.apply(file);
}

}  // namespace tailrace::settings
