// The terms of `formula_terms`, from which heights or pressures of dimensionless levels are computed (CF
// 4.3.3).
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

// Parses `ap: ap b: b ps: ps`. None for any other form.
std::optional<std::vector<FormulaTerm>> formula_terms_of(const std::string& text);

// The first variable of the file with the field of that name, with or without its namespace.
const VariablePlan* variable_of(const DatasetPlan& file, const model::Declarations& declarations,
                                const std::string& field);

// Reports terms that readers of the file could not find: a term that is neither a coordinate of its grid nor
// a field, with the nearest name, or a field that is not in the file.
void check_formula_terms(const DatasetPlan& file, const model::Declarations& declarations,
                         config::Problems& problems);

}  // namespace tailrace::plan
