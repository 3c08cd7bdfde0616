// Checks that a field matches the variable of a table (`cmip: Amon/tas`).
#pragma once

#include <string>
#include <vector>

#include "config/problems.hpp"
#include "mip_tables/request.hpp"
#include "model/declarations.hpp"

namespace tailrace::mip_tables {

// A variable that is written. All references must live longer.
struct Written {
  const Request* request;  // null: it names no table
  const std::string& config_path;
  const std::vector<model::Coordinate>& coordinates;  // those of the configuration, without dims
  const model::Field& field;
  const model::Grid& grid;
  bool once = false;      // the model puts it once
  bool is_split = false;  // into a variable for each number along one of its dims
};

// Checks units, standard name, dimensions, and dependence on time. Does nothing for variables without a
// table. Differences that may be harmless are lines of `warnings`.
void check_table(const Written& written, config::Problems& problems, std::vector<std::string>& warnings);

// The coordinates of the configuration, and those of the table that the grid and the field lack.
std::vector<model::Coordinate> scalar_coordinates(const Written& written);

}  // namespace tailrace::mip_tables
