#include "mip_tables/tables.hpp"

#include <fmt/format.h>

#include "tailrace/error.hpp"

namespace tailrace::mip_tables {

const Table* Tables::find(const Request& request, const std::string& path) {
  const config::SourceFile* source = source_of(request.table);
  if (source == nullptr) {
    problems_.add(request.location, path,
                  fmt::format("expected the tables, with \"{}\" among them, under `cmip: {{tables: ...}}`",
                              request.table));
    return nullptr;
  }
  const auto known = tables_.find(request.table);
  if (known != tables_.end()) return known->second ? &*known->second : nullptr;
  std::optional<Table>& table = tables_[request.table];
  try {
    table = table_from_json(request.table, source->name, source->text);
  } catch (const Error& error) {
    problems_.add(request.location, path, error.what());
  }
  return table ? &*table : nullptr;
}

config::Location Tables::place_of(const TableVariable& variable) const {
  const config::SourceFile* source = source_of(variable.table);
  return source == nullptr ? config::Location() : place_of_key(source->name, source->text, variable.name);
}

const ScalarCoordinates* Tables::scalars_of(const Table& table) {
  const std::string file = table_name_of(table.file);
  const std::string name = file.substr(0, file.rfind('_') + 1) + "coordinate";
  for (const config::SourceFile& source : sources_) {
    if (!source.is_data || table_name_of(source.name) != name) continue;
    if (const auto known = scalars_.find(name); known != scalars_.end()) return &known->second;
    try {
      return &(scalars_[name] = scalars_from_json(source.name, source.text));
    } catch (const Error& error) {
      problems_.add({source.name, 0, 0}, "cmip.tables", error.what());
    }
  }
  return nullptr;
}

// The short name may fit several files; the full name decides.
const config::SourceFile* Tables::source_of(const std::string& table) const {
  const config::SourceFile* found = nullptr;
  for (const config::SourceFile& source : sources_) {
    if (!source.is_data || !is_table_at(source.name, table)) continue;
    if (found == nullptr || table_name_of(source.name) == table) found = &source;
  }
  return found;
}

}  // namespace tailrace::mip_tables
