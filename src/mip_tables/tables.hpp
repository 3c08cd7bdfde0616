// The tables among the sources of a configuration.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "config/problems.hpp"
#include "config/sources.hpp"
#include "mip_tables/request.hpp"

namespace tailrace::mip_tables {

// Each table is parsed when it is first asked for. The sources must live longer.
class Tables {
 public:
  Tables(const config::Sources& sources, config::Problems& problems)
      : sources_(sources), problems_(problems) {}

  // Null, with a problem at `path` for each variable that asks, if the table is not there or cannot be
  // parsed.
  const Table* find(const Request& request, const std::string& path);

  // The place of the variable in the table's file.
  config::Location place_of(const TableVariable& variable) const;

  // The coordinates that belong to the table. Null if their table is not there.
  const ScalarCoordinates* scalars_of(const Table& table);

 private:
  const config::SourceFile* source_of(const std::string& table) const;

  const config::Sources& sources_;
  config::Problems& problems_;
  std::map<std::string, std::optional<Table>> tables_;
  std::map<std::string, ScalarCoordinates> scalars_;
};

}  // namespace tailrace::mip_tables
