// Whether a field is what the table says of its variable (`cmip: Amon/tas`).
#pragma once

#include <string>
#include <vector>

#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "settings/variable.hpp"

namespace tailrace::plan {

struct TableCase {
  const settings::VariableEntry& entry;
  const model::Field& field;
  const model::Grid& grid;
  bool once = false;  // the model puts it once
};

// Units, standard name, dimensions, and whether it changes with time. Nothing for variables of no table. What
// cannot be known is a line in `warnings`.
void check_table(const TableCase& on, config::Problems& problems, std::vector<std::string>& warnings);

// The user's, and those of the table that the grid and the field do not have.
std::vector<model::Coordinate> scalar_coordinates(const TableCase& on);

}  // namespace tailrace::plan
