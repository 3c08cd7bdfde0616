// `cmip:` at the top, which names tables, and `cmip: Amon/tas` of a variable.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema.hpp"
#include "config/value.hpp"
#include "settings/tables/mip_table.hpp"

namespace tailrace::settings {

// `cmip` of a variable, and which of the options that the table speaks of the variable itself gives: what
// comes from `defaults` yields to the table. Line 0: not given there.
struct CmipRequest {
  std::string table, variable;  // the variable may be empty: the field's own name
  config::Location location;
  config::Location every, operation, type, pack, attributes;
  std::shared_ptr<const MipVariable> is;   // as the table has it
  std::vector<model::Coordinate> scalars;  // a height of 2 m
  bool knows_scalars = false;              // the coordinates of the tables were there
  std::size_t cells = 0;                   // dimensions with many values, besides time
};

config::Option cmip_tables_option();  // it gives no value: its files are read with the configuration
config::Option cmip_option();         // of a variable
CmipRequest cmip_request_of(const config::Value& variable);

// `CMIP6_Amon.json` is `CMIP6_Amon`, and `Amon` for short.
std::string table_of_path(const std::string& path);
bool is_called(const std::string& path, std::string_view table);

}  // namespace tailrace::settings
