// formula_terms of levels that are not heights or pressures by themselves (CF 4.3.3): what each term stands
// for.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {

struct FormulaTerm {
  std::string term;  // `ps`
  std::string name;  // of a coordinate of the grid, or of a field
};

// Of `ap: ap b: b ps: ps`; nothing where it is written otherwise.
std::optional<std::vector<FormulaTerm>> formula_terms_of(const std::string& text);

// The first variable of the file that holds the field of that name, with or without its namespace.
const VariablePlan* variable_of(const DatasetPlan& file, const model::Declarations& declarations,
                                const std::string& field);

// Adds to `problems` what readers of the file would miss: a term that is neither a coordinate of its grid nor
// a field, with the nearest name, or a field that is not in the file.
void check_formula_terms(const DatasetPlan& file, const model::Declarations& declarations,
                         config::Problems& problems);

}  // namespace tailrace::plan
