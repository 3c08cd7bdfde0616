// The section `cmip`, which names tables, and the option `cmip` of a variable (`Amon/tas`).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema.hpp"
#include "config/value.hpp"
#include "mip_tables/table.hpp"

namespace tailrace::mip_tables {

// `cmip` of a variable. The locations tell which of the options that a table determines are given by the
// variable itself (line 0: not given); values from `defaults` are replaced by those of the table.
struct Request {
  std::string table, variable;  // an empty variable means the field's own name
  config::Location location;
  config::Location every, operation, type, pack, attributes;
  std::shared_ptr<const TableVariable> is;  // the entry of the table; null until it is found
  std::vector<model::Coordinate> scalars;   // such as a height of 2 m
  bool knows_scalars = false;               // the table of coordinates was found
  std::size_t cells = 0;                    // the number of dimensions with many values, besides time
};

config::Option tables_option();    // it has no value: its files are read with the configuration
config::Option variable_option();  // `cmip` of a variable
Request request_of(const config::Value& variable);

// The name of the table in a file: `CMIP6_Amon` for `CMIP6_Amon.json`. A configuration may also call it
// `Amon`.
std::string table_name_of(const std::string& path);
bool is_table_at(const std::string& path, std::string_view table);

}  // namespace tailrace::mip_tables
