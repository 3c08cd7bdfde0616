#include "plan/naming/formula_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "plan/analysis.hpp"

namespace tailrace::plan {
namespace {

const model::Field& field_of(const VariablePlan& variable, const model::Declarations& declarations) {
  return declarations.fields[base::index(variable.field)];
}

bool is_called(const std::string& field, const std::string& name) {
  return field == name || field.substr(field.rfind('.') + 1) == name;
}

bool has_coordinate(const model::Grid& grid, const std::string& name) {
  return std::ranges::any_of(grid.coordinates, [&](const auto& one) { return one.name == name; });
}

bool has_field(const model::Declarations& declarations, const std::string& name) {
  return std::ranges::any_of(declarations.fields, [&](const model::Field& field) {
    return field.is_put() && is_called(field.name, name);
  });
}

std::string complaint_of(const FormulaTerm& term, const model::Grid& grid,
                         const model::Declarations& declarations) {
  if (has_field(declarations, term.name))
    return fmt::format(
        "readers compute the levels from the field \"{0}\" ({1}), which is not in this file; "
        "add it to the variables: {{field: {0}, ...}}",
        term.name, term.term);
  std::vector<std::string> known = declarations.field_names();
  for (const model::Coordinate& coordinate : grid.coordinates) known.push_back(coordinate.name);
  return fmt::format("the term {} is \"{}\", which is neither a coordinate of the grid nor a field.{}",
                     term.term, term.name, base::name_hint(term.name, known));
}

void check_coordinate(const DatasetPlan& file, const model::Grid& grid, const model::Coordinate& coordinate,
                      const model::Declarations& declarations, config::Problems& problems) {
  const std::string text = model::text_of(coordinate.attributes, "formula_terms");
  if (text.empty()) return;
  const std::string what =
      fmt::format("formula_terms of coordinate \"{}\" of grid \"{}\"", coordinate.name, grid.name);
  const auto terms = formula_terms_of(text);
  if (!terms)
    return problems.add(
        file.entry.location, "output." + file.entry.path,
        fmt::format("{}: expected pairs such as \"ap: ap b: b ps: ps\", but got \"{}\"", what, text));
  for (const FormulaTerm& term : *terms)
    if (!has_coordinate(grid, term.name) && variable_of(file, declarations, term.name) == nullptr)
      problems.add(file.entry.location, "output." + file.entry.path,
                   fmt::format("{}: {}", what, complaint_of(term, grid, declarations)));
}

}  // namespace

std::optional<std::vector<FormulaTerm>> formula_terms_of(const std::string& text) {
  std::vector<FormulaTerm> terms;
  std::istringstream words(text);
  for (std::string term, name; words >> term;) {
    if (term.size() < 2 || term.back() != ':' || !(words >> name) || name.back() == ':') return std::nullopt;
    terms.push_back({term.substr(0, term.size() - 1), name});
  }
  if (terms.empty()) return std::nullopt;
  return terms;
}

const VariablePlan* variable_of(const DatasetPlan& file, const model::Declarations& declarations,
                                const std::string& field) {
  const auto found = std::ranges::find_if(file.variables, [&](const VariablePlan& variable) {
    return variable.regrid < 0 ? is_called(field_of(variable, declarations).name, field)
                               : variable.fraction_of < 0 && is_called(variable.field_name, field);
  });
  return found == file.variables.end() ? nullptr : &*found;
}

// Levels of diagnostics do without, where the file does not say what they are made of.
void check_formula_terms(const DatasetPlan& file, const model::Declarations& declarations,
                         config::Problems& problems) {
  std::set<int> seen;
  for (const VariablePlan& variable : file.variables) {
    const int index = field_of(variable, declarations).grid;
    const model::Grid& grid = declarations.grids[base::index(index)];
    if (!seen.insert(index).second || grid.name.starts_with(diagnostic_grid)) continue;
    for (const model::Coordinate& coordinate : grid.coordinates)
      check_coordinate(file, grid, coordinate, declarations, problems);
  }
}

}  // namespace tailrace::plan
