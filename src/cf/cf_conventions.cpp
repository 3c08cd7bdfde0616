// The conventions of CF.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/index.hpp"
#include "cf/conventions.hpp"
#include "cf/option_tables.hpp"
#include "cf/points.hpp"
#include "cf/text.hpp"
#include "plan/append/write_amplification.hpp"
#include "plan/naming/formula_terms.hpp"

namespace tailrace::cf {
namespace {

constexpr std::int64_t times_per_chunk = 512;

output::PlainValues doubles(int variable, std::int64_t first, const std::vector<double>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {variable, first, {bytes.begin(), bytes.end()}};
}

// It is a share, whatever the field is.
void describe_fraction(output::Attributes& attributes, const model::Field& field) {
  attributes.clear();
  set_attribute(attributes, "units", "1");
  set_attribute(attributes, "long_name", fmt::format("fraction of the time with a value of {}", field.name));
}

void add_to_coordinates(output::Attributes& attributes, std::vector<std::string> names) {
  if (names.empty()) return;
  for (const auto& [name, value] : attributes)
    if (name == "coordinates") names.insert(names.begin(), std::get<std::string>(value));
  set_attribute(attributes, "coordinates", fmt::format("{}", fmt::join(names, " ")));
}

// Coordinates without dims, such as a height of 2 m: the user's, and those of the diagnostic.
void add_scalars(GridWriter& grid_writer, const plan::VariablePlan& plan, const model::Field& field,
                 output::Attributes& attributes) {
  std::vector<std::string> names;
  for (const auto* coordinates : {&field.coordinates, &plan.coordinates})
    for (const model::Coordinate& coordinate : *coordinates)
      names.push_back(grid_writer.add_scalar(coordinate, plan.name));
  add_to_coordinates(attributes, names);
}

// CF 7.3: of a coarser level of a pyramid, after the operation over time.
void add_area_of_four(output::Attributes& attributes, const plan::VariablePlan& plan) {
  const bool is_class = model::is_integer(plan.packing ? plan.unpacked : plan.type) && plan.fraction_of < 0;
  const char* method = plan.reduction == time::ReductionKind::max   ? "area: maximum"
                       : plan.reduction == time::ReductionKind::min ? "area: minimum"
                       : is_class                                   ? "area: mode"
                                                                    : "area: mean";
  std::string methods;
  for (const auto& [name, value] : attributes)
    if (const auto* text = std::get_if<std::string>(&value); text && name == "cell_methods") methods = *text;
  if (methods.find(method) != std::string::npos) return;
  set_attribute(attributes, "cell_methods", methods.empty() ? method : methods + " " + method);
}

// The variables of the fields that the model calls coordinates of this one, as far as the file has them along
// no other dims (CF 5).
std::vector<std::string> fields_as_coordinates(const Draft& draft, int variable) {
  std::vector<std::string> found;
  std::istringstream words(model::text_of(draft.field_of(variable).attributes, model::coordinates_attribute));
  const std::vector<output::VariableSpec>& variables = draft.layout.dataset.variables;
  const auto variable_called = [&](const std::string& name) {
    return std::ranges::find(variables, name, &output::VariableSpec::name);
  };
  const auto own = variable_called(names_in_file(draft.file.variables[base::index(variable)]).front());
  for (std::string word; words >> word;) {
    const plan::VariablePlan* planned = plan::variable_of(draft.file, draft.declarations, word);
    const auto spec = planned == nullptr ? variables.end() : variable_called(planned->name);
    if (spec == variables.end() || spec == own) continue;
    const auto is_shared = [&](int dim) { return std::ranges::count(own->dims, dim) > 0; };
    if (std::ranges::all_of(spec->dims, is_shared)) found.push_back(planned->name);
  }
  return found;
}

// CF 7.1: snapshots whose model knows from when to when they hold have these bounds as a field, which
// `bounds` under `time_attributes` names.
void add_given_bounds(Draft& draft) {
  const output::Attributes& given = draft.file.entry.time_attributes;
  const auto name = std::ranges::find(given, "bounds", &output::Attributes::value_type::first);
  const auto* field = name == given.end() ? nullptr : std::get_if<std::string>(&name->second);
  const plan::VariablePlan* planned =
      field == nullptr ? nullptr : plan::variable_of(draft.file, draft.declarations, *field);
  if (planned == nullptr || planned->axis < 0) return;
  AxisLayout& axis = draft.layout.axes[base::index(planned->axis)];
  output::DatasetSpec& dataset = draft.layout.dataset;
  const auto bounds = std::ranges::find(dataset.variables, planned->name, &output::VariableSpec::name);
  if (axis.bounds_variable >= 0 || bounds == dataset.variables.end() || bounds->dims.size() != 2) return;
  if (dataset.dims[base::index(bounds->dims[1])].size != 2) return;
  set_attribute(dataset.variables[base::index(axis.time_variable)].attributes, "bounds", planned->name);
  bounds->fill_value.reset();
}

// They inherit all attributes.
bool is_given_bounds(const Draft& draft, const plan::VariablePlan& plan) {
  if (plan.axis < 0) return false;
  const AxisLayout& axis = draft.layout.axes[base::index(plan.axis)];
  const output::Attributes& times =
      draft.layout.dataset.variables[base::index(axis.time_variable)].attributes;
  return axis.bounds_variable < 0 &&
         std::ranges::find(times, output::Attributes::value_type("bounds", plan.name)) != times.end();
}

class CfConventions final : public Conventions {
 public:
  void add_times(Draft& draft) const override;
  void add_dims(Draft& draft) const override { draft.grids.add_dims(); }

  // The field's own where the file's type can hold it. Among packed numbers it would be one like any other.
  std::optional<model::FillValue> fill_value(const plan::VariablePlan& plan,
                                             const model::Field& field) const override {
    return own_fill(plan, field).value_or(model::default_fill(plan.type));
  }

  std::optional<double> records_of_commit(const plan::DatasetPlan& file,
                                          const plan::VariablePlan& plan) const override {
    if (plan.codec.codec == "none") return std::nullopt;
    return plan::writing::records_per_commit(file, plan);
  }

  output::Attributes describe(const plan::VariablePlan& plan, const model::Field& field) const override {
    output::Attributes attributes;
    cf::describe(attributes, field);
    std::erase_if(attributes, [](const auto& one) { return one.first == model::coordinates_attribute; });
    if (plan.reduction == time::ReductionKind::valid_fraction) describe_fraction(attributes, field);
    return attributes;
  }

  void add_coordinates(Draft& draft) const override {
    draft.grids.add_coordinates();
    draft.grids.add_further(draft.file.entry.also_coordinates);
    add_given_bounds(draft);
    add_option_tables(draft.layout, draft.file.option_tables, draft.names);
    draft.point_names = add_point_coordinates(draft.layout, draft.file, draft.names);
  }

  void finish_attributes(Draft& draft, int variable) const override;

  output::Attributes global_attributes(const Draft& draft, const std::string& history) const override {
    output::Attributes attributes = cf::global_attributes(draft.layout.dataset, draft.file,
                                                          draft.configuration, draft.declarations, history);
    add_feature_type(attributes, draft.file, draft.declarations);
    return attributes;
  }

  std::vector<output::PlainValues> times_of(const NewRecords& records,
                                            const calendar::Calendar&) const override {
    std::vector<double> times, bounds;
    for (const time::TimeRecord& record : records.records) {
      times.push_back(time_stamp(record, records.stamp));
      bounds.push_back(record.begin);
      bounds.push_back(record.end);
    }
    std::vector<output::PlainValues> values{doubles(records.axis.time_variable, records.first, times)};
    if (records.axis.bounds_variable >= 0)
      values.push_back(doubles(records.axis.bounds_variable, records.first, bounds));
    return values;
  }
};

// Time has no missing values, so neither it nor its bounds gets a fill value; the bounds inherit all
// attributes (CF 7.1).
void CfConventions::add_times(Draft& draft) const {
  int pair = -1;
  for (std::size_t a = 0; a < draft.file.axes.size(); ++a) {
    AxisLayout& axis = draft.layout.axes[a];
    std::vector<output::VariableSpec>& variables = draft.layout.dataset.variables;
    output::VariableSpec times, bounds;
    times.name = draft.layout.dataset.dims[base::index(axis.dim)].name;
    times.dims = {axis.dim};
    times.chunk = {times_per_chunk};
    const bool windows = is_windowed(draft.file.axes[a].kind);
    if (windows) bounds.name = draft.names.take(times.name + "_bnds", "axis");
    times.attributes =
        time_attributes(draft.file.axes[a], draft.file.time_stamp, draft.layout.calendar, bounds.name);
    for (const auto& [name, value] : draft.file.entry.time_attributes)
      if (name != "bounds")
        set_attribute(times.attributes, name,
                      model::has_own_type(name) ? model::in_type(value, times.type).value_or(value) : value);
    axis.time_variable = static_cast<int>(variables.size());
    variables.push_back(std::move(times));
    if (!windows) continue;
    if (pair < 0) {
      pair = static_cast<int>(draft.layout.dataset.dims.size());
      draft.layout.dataset.dims.push_back({"bnds", 2, false});
    }
    bounds.dims = {axis.dim, pair};
    bounds.chunk = {times_per_chunk, 2};
    axis.bounds_variable = static_cast<int>(variables.size());
    variables.push_back(std::move(bounds));
  }
}

void CfConventions::finish_attributes(Draft& draft, int variable) const {
  const plan::VariablePlan& plan = draft.file.variables[base::index(variable)];
  if (is_given_bounds(draft, plan)) return draft.attributes_of(variable).clear();
  const int grid = draft.field_of(variable).grid;
  output::Attributes of_grid = grid < 0 ? output::Attributes{} : draft.grids.attributes_of(grid);
  add_to_coordinates(of_grid, fields_as_coordinates(draft, variable));
  add_scalars(draft.grids, plan, draft.field_of(variable), of_grid);
  if (plan.at_stations) {
    add_to_coordinates(of_grid, places_of(draft.layout, plan.axis));
    add_to_coordinates(of_grid, draft.point_names);
  }
  output::Attributes& attributes = draft.attributes_of(variable);
  for (const auto& [name, value] : of_grid) set_attribute(attributes, name, value);
  for (const auto& [name, value] : plan.attributes) set_attribute(attributes, name, value);
  if (plan.axis >= 0) {
    const int dim = draft.layout.axes[base::index(plan.axis)].dim;
    add_cell_methods(attributes, draft.layout.dataset.dims[base::index(dim)].name, plan.reduction,
                     draft.file.axes[base::index(plan.axis)].cycle);
  }
  if (plan.finer.file >= 0) add_area_of_four(attributes, plan);
  give_own_types(attributes, plan);
}

}  // namespace

const Conventions& cf_conventions() {
  static const CfConventions conventions;
  return conventions;
}

}  // namespace tailrace::cf
