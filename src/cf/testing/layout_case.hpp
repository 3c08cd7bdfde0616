// A small model and a file of it to lay out, and short ways to ask what came of them.
#pragma once

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "cf/layout.hpp"

namespace tailrace::cf::layout_case {

using model::DataType;

inline constexpr double default_fill = 9.969209968386869e+36;

inline model::Grid make_grid(const std::string& name, const std::vector<std::string>& dims,
                             const std::vector<std::int64_t>& shape) {
  model::Grid grid;
  grid.name = name;
  grid.kind = model::GridKind::block;
  grid.dims = dims;
  grid.shape = shape;
  return grid;
}

inline model::Coordinate make_coordinate(const std::string& name, const std::vector<std::string>& dims,
                                         const std::vector<double>& values,
                                         std::optional<int> field = std::nullopt) {
  model::Coordinate coordinate;
  coordinate.name = name;
  coordinate.dims = dims;
  coordinate.units = "m";
  coordinate.values = values;
  coordinate.field = field;
  return coordinate;
}

inline model::Field make_field(const std::string& name, int grid, DataType type = DataType::float64,
                               bool is_static = false) {
  model::Field field;
  field.name = name;
  field.grid = grid;
  field.type = type;
  field.is_static = is_static;
  return field;
}

// The start of each test: a box model with a field w on (z, y, x), a scalar, and a file for one variable of
// each.
struct Case {
  settings::Configuration configuration;
  model::Declarations declarations;
  plan::DatasetPlan file;

  Case() {
    configuration.time.calendar = "standard";
    configuration.time.start = calendar::parse_date("2026-01-01");
    configuration.text = "output: []\n";
    declarations.component = "bubble";
    declarations.grids = {make_grid("les", {"z", "y", "x"}, {3, 4, 5})};
    declarations.grids[0].coordinates = {make_coordinate("z", {"z"}, {5.0, 15.0, 25.0})};
    declarations.fields = {make_field("scalar.w", 0), make_field("energy", -1)};
    declarations.fields[0].units = "m s-1";
    declarations.fields[0].standard_name = "upward_air_velocity";
    file.entry.path = "out.nc";
    add_axis(time::AxisKind::instant, "5 s", "time_instant_5s");
    add_axis(time::AxisKind::window, "10 s", "time_10s");
    add_variable("w", 0, 0, time::ReductionKind::snapshot);
    add_variable("w_mean", 0, 1, time::ReductionKind::mean);
  }
  void add_axis(time::AxisKind kind, const char* every, const char* dim) {
    file.axes.push_back({kind, time::Period::parse(every), time::Period::of_steps(1), dim});
  }
  void add_variable(const std::string& name, int field, int axis, time::ReductionKind reduction) {
    plan::VariablePlan variable;
    variable.name = name;
    variable.field = field;
    variable.axis = axis;
    variable.reduction = reduction;
    variable.type = DataType::float64;
    file.variables.push_back(variable);
  }
  DatasetLayout layout() const {
    return make_layout(file, configuration, declarations, {}, "2026: tailrace run");
  }
};

inline const output::VariableSpec* find(const DatasetLayout& layout, const std::string& name) {
  for (const output::VariableSpec& variable : layout.dataset.variables)
    if (variable.name == name) return &variable;
  return nullptr;
}

inline const output::VariableSpec& variable(const DatasetLayout& layout, const std::string& name) {
  const output::VariableSpec* found = find(layout, name);
  if (found == nullptr) throw std::runtime_error("no variable " + name);
  return *found;
}

inline std::vector<std::string> dims(const DatasetLayout& layout, const std::string& name) {
  std::vector<std::string> names;
  for (const int dim : variable(layout, name).dims)
    names.push_back(layout.dataset.dims[base::index(dim)].name);
  return names;
}

// The attribute as text; "-" where there is none.
inline std::string attribute(const output::Attributes& attributes, const std::string& name) {
  for (const auto& [key, value] : attributes) {
    if (key != name) continue;
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<std::int32_t>(&value)) return std::to_string(*number);
    return "?";
  }
  return "-";
}
inline std::string attribute(const DatasetLayout& layout, const std::string& of, const std::string& name) {
  return attribute(variable(layout, of).attributes, name);
}

inline std::vector<double> constant(const DatasetLayout& layout, const std::string& name) {
  for (const output::PlainValues& values : layout.constants) {
    if (layout.dataset.variables[base::index(values.variable)].name != name) continue;
    std::vector<double> numbers(values.bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), values.bytes.data(), values.bytes.size());
    return numbers;
  }
  return {};
}
}  // namespace tailrace::cf::layout_case
