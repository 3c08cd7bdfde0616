#include "cf/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/index.hpp"
#include "cf/chunk_shape.hpp"
#include "cf/grid.hpp"
#include "cf/option_tables.hpp"
#include "cf/points.hpp"
#include "cf/quantization.hpp"
#include "cf/text.hpp"
#include "model/healpix.hpp"
#include "plan/append/write_amplification.hpp"

namespace tailrace::cf {
namespace {

constexpr std::int64_t times_per_chunk = 512;

std::vector<int> grids_in_use(const plan::DatasetPlan& file, const model::Declarations& declarations) {
  std::vector<int> grids;
  for (const plan::VariablePlan& variable : file.variables) {
    const int grid = declarations.fields[base::index(variable.field)].grid;
    if (grid >= 0 && std::find(grids.begin(), grids.end(), grid) == grids.end()) grids.push_back(grid);
  }
  return grids;
}

void add_axis_dims(DatasetLayout& layout, const plan::DatasetPlan& file, Names& names) {
  for (const plan::AxisPlan& axis : file.axes) {
    AxisLayout added;
    added.dim = static_cast<int>(layout.dataset.dims.size());
    layout.axes.push_back(added);
    layout.dataset.dims.push_back({names.take(axis.dim, "axis"), 0, true});
  }
}

// The field's own where the file's type can hold it. Among packed numbers it would be one like any other.
model::FillValue fill_value_of(const plan::VariablePlan& plan, const model::Field& field) {
  if (plan.fill_value) return *plan.fill_value;
  const bool keeps =
      field.fill_value && !plan.packing && plan.reduction != time::ReductionKind::valid_fraction;
  return keeps && model::can_hold(plan.type, field.fill_value->number) ? *field.fill_value
                                                                       : model::default_fill(plan.type);
}

// CF 8.1: of the type that values have when they are unpacked.
void describe_packing(output::Attributes& attributes, const plan::VariablePlan& plan) {
  const auto add = [&](const char* name, double value) {
    if (plan.unpacked == model::DataType::float32)
      set_attribute(attributes, name, static_cast<float>(value));
    else
      set_attribute(attributes, name, value);
  };
  add("scale_factor", plan.packing->scale_factor);
  add("add_offset", plan.packing->add_offset);
}

// It is a share, whatever the field is.
void describe_fraction(output::Attributes& attributes, const model::Field& field) {
  attributes.clear();
  set_attribute(attributes, "units", "1");
  set_attribute(attributes, "long_name", fmt::format("fraction of the time with a value of {}", field.name));
}

// Time has no missing values, so neither it nor its bounds gets a fill value; the bounds inherit all
// attributes (CF 7.1).
void add_times(DatasetLayout& layout, const plan::DatasetPlan& file, const calendar::Calendar& calendar,
               Names& names) {
  int pair = -1;
  for (std::size_t a = 0; a < file.axes.size(); ++a) {
    AxisLayout& axis = layout.axes[a];
    std::vector<output::VariableSpec>& variables = layout.dataset.variables;
    output::VariableSpec times, bounds;
    times.name = layout.dataset.dims[base::index(axis.dim)].name;
    times.dims = {axis.dim};
    times.chunk = {times_per_chunk};
    const bool windows = is_windowed(file.axes[a].kind);
    if (windows) bounds.name = names.take(times.name + "_bnds", "axis");
    times.attributes = time_attributes(file.axes[a], file.time_stamp, calendar, bounds.name);
    for (const auto& [name, value] : file.entry.time_attributes)
      set_attribute(times.attributes, name,
                    model::has_own_type(name) ? model::in_type(value, times.type).value_or(value) : value);
    axis.time_variable = static_cast<int>(variables.size());
    variables.push_back(std::move(times));
    if (!windows) continue;
    if (pair < 0) {
      pair = static_cast<int>(layout.dataset.dims.size());
      layout.dataset.dims.push_back({"bnds", 2, false});
    }
    bounds.dims = {axis.dim, pair};
    bounds.chunk = {times_per_chunk, 2};
    axis.bounds_variable = static_cast<int>(variables.size());
    variables.push_back(std::move(bounds));
  }
}

std::vector<std::string> names_in_file(const plan::VariablePlan& plan) {
  return plan.split < 0 ? std::vector{plan.name} : plan.parts;
}

ChunkShape chunk_of(const plan::VariablePlan& plan, const std::vector<std::int64_t>& shape,
                    const plan::DatasetPlan& file) {
  if (plan.chunk.empty()) {
    ChunkShape chunk = choose_chunk(shape, model::size_of(plan.type), file.entry.access, file.open_bytes);
    const auto records = plan::writing::records_per_commit(file, plan);
    if (plan.codec.codec != "none" && records)
      chunk = fill_by_commits(chunk, shape, model::size_of(plan.type), *records);
    return chunk;
  }
  TAILRACE_ASSERT(plan.chunk.size() == shape.size() + 1, "a chunk has the records and the grid's dims");
  ChunkShape chunk{plan.chunk[0], {plan.chunk.begin() + 1, plan.chunk.end()}};
  for (std::size_t d = 0; d < shape.size(); ++d) chunk.cells[d] = std::min(chunk.cells[d], shape[d]);
  return chunk;
}

// Where Tailrace chooses the chunk of a grid of HEALPix.
void fit_to_healpix(const plan::VariablePlan& plan, const std::vector<std::int64_t>& shape,
                    std::optional<std::size_t> cells, std::vector<std::int64_t>& chunk) {
  if (!cells || !plan.chunk.empty() || chunk.empty() || chunk[*cells] == shape[*cells]) return;
  chunk[*cells] = healpix_piece(chunk[*cells]);
}

// Without a time dimension a variable need not be in chunks. `cells`: the dim of HEALPix, if there is one.
void cut_into_chunks(VariableLayout& added, output::VariableSpec& spec, const plan::VariablePlan& plan,
                     const plan::DatasetPlan& file, std::optional<std::size_t> cells) {
  if (plan.axis < 0) {
    spec.chunk = plan.chunk.empty() ? cut_static(added.shape, model::size_of(plan.type))
                                    : chunk_of(plan, added.shape, file).cells;
    fit_to_healpix(plan, added.shape, cells, spec.chunk);
    if (plan.split >= 0) {
      if (spec.chunk.empty()) spec.chunk = added.shape;
      spec.chunk[base::index(plan.split)] = 1;
    }
    added.chunk = spec.chunk.empty() ? added.shape : spec.chunk;
    return;
  }
  ChunkShape chunk = chunk_of(plan, added.shape, file);
  fit_to_healpix(plan, added.shape, cells, chunk.cells);
  if (file.entry.series) chunk.records = 1;  // any record may be the first of a file
  if (const output::Format* format = file.entry.writer())
    chunk.records = format->records_per_chunk().value_or(chunk.records);
  if (plan.split >= 0) chunk.cells[base::index(plan.split)] = 1;
  added.chunk = chunk.cells;
  added.records_per_chunk = chunk.records;
  spec.chunk = {chunk.records};
  spec.chunk.insert(spec.chunk.end(), chunk.cells.begin(), chunk.cells.end());
}

// `grid`: null for a field without one.
void add_variable(DatasetLayout& layout, const plan::DatasetPlan& file, int number, const model::Field& field,
                  const model::Grid* grid, const std::vector<int>& grid_dims) {
  const plan::VariablePlan& plan = file.variables[base::index(number)];
  VariableLayout added;
  added.variable = static_cast<int>(layout.dataset.variables.size());
  added.field = plan.field;
  added.plan = number;
  for (const int dim : grid_dims) added.shape.push_back(layout.dataset.dims[base::index(dim)].size);
  added.split = plan.split;

  output::VariableSpec spec;
  spec.name = plan.name;
  spec.type = plan.type;
  if (plan.axis >= 0) spec.dims = {layout.axes[base::index(plan.axis)].dim};
  spec.dims.insert(spec.dims.end(), grid_dims.begin(), grid_dims.end());
  cut_into_chunks(added, spec, plan, file, grid == nullptr ? std::nullopt : model::healpix_dim(*grid));
  spec.codec = plan.codec;
  if (spec.chunk.empty()) spec.codec.keep.reset();  // too small to be worth it
  if (const auto records = plan::writing::records_per_commit(file, plan);
      records && *records == std::floor(*records) && *records < 1e9)
    spec.records_of_commit = static_cast<std::int64_t>(*records);
  spec.is_field = true;
  spec.fill_value = fill_value_of(plan, field);
  describe(spec.attributes, field);
  if (plan.reduction == time::ReductionKind::valid_fraction) describe_fraction(spec.attributes, field);
  if (plan.packing) describe_packing(spec.attributes, plan);
  if (plan.split >= 0) {
    const int behind = plan.split + (plan.axis < 0 ? 0 : 1);
    spec.dims.erase(spec.dims.begin() + behind);
    spec.chunk.erase(spec.chunk.begin() + behind);
  }
  for (const std::string& name : names_in_file(plan)) {
    spec.name = name;
    layout.dataset.variables.push_back(spec);
  }
  layout.variables.push_back(std::move(added));
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

// Adds what follows the field's own attributes: how it was reduced, where its cells are, and the attributes
// of the user.
void finish_attributes(DatasetLayout& layout, const plan::DatasetPlan& file, int number,
                       const output::Attributes& of_grid) {
  const plan::VariablePlan& plan = file.variables[base::index(number)];
  const std::size_t first = base::index(layout.variables[base::index(number)].variable);
  output::Attributes& attributes = layout.dataset.variables[first].attributes;
  for (const auto& [name, value] : of_grid) set_attribute(attributes, name, value);
  for (const auto& [name, value] : plan.attributes) set_attribute(attributes, name, value);
  if (plan.axis >= 0)
    add_cell_methods(attributes,
                     layout.dataset.dims[base::index(layout.axes[base::index(plan.axis)].dim)].name,
                     plan.reduction, file.axes[base::index(plan.axis)].cycle);
  if (plan.finer.file >= 0) add_area_of_four(attributes, plan);
  give_own_types(attributes, plan);
  for (std::size_t part = 1; part < names_in_file(plan).size(); ++part)
    layout.dataset.variables[first + part].attributes = attributes;
}

}  // namespace

DatasetLayout make_layout(const plan::DatasetPlan& file, const settings::Configuration& configuration,
                          const model::Declarations& declarations, const model::Decomposition&,
                          const std::string& history) {
  DatasetLayout layout;
  layout.dataset.path = file.entry.path;
  layout.dataset.sync = file.entry.sync;
  layout.dataset.options = file.entry.format_options;
  if (configuration.servers.report) layout.dataset.report_directory = configuration.servers.report_directory;

  Names names;
  const std::vector<int> grids = grids_in_use(file, declarations);
  GridWriter grid_writer(layout, file, declarations, names, grids);
  add_axis_dims(layout, file, names);
  for (const plan::VariablePlan& variable : file.variables)
    for (const std::string& name : names_in_file(variable)) names.take(name, "field");
  for (const plan::OptionTablePlan& table : file.option_tables) names.take(table.name, "table");
  add_times(layout, file, calendar::Calendar(configuration.time.calendar, configuration.time.start), names);
  grid_writer.add_dims();

  const auto field_of = [&](int number) -> const model::Field& {
    return declarations.fields[base::index(file.variables[base::index(number)].field)];
  };
  const int count = static_cast<int>(file.variables.size());
  for (int number = 0; number < count; ++number) {
    const int grid = field_of(number).grid;
    add_variable(layout, file, number, field_of(number),
                 grid < 0 ? nullptr : &declarations.grids[base::index(grid)],
                 grid < 0 ? std::vector<int>{} : grid_writer.dims_of(grid));
  }
  grid_writer.add_coordinates();
  grid_writer.add_further(file.entry.also_coordinates);
  add_option_tables(layout, file.option_tables, names);
  const std::vector<std::string> point_names = add_point_coordinates(layout, file, names);
  for (int number = 0; number < count; ++number) {
    const int grid = field_of(number).grid;
    output::Attributes of_grid = grid < 0 ? output::Attributes{} : grid_writer.attributes_of(grid);
    add_scalars(grid_writer, file.variables[base::index(number)], field_of(number), of_grid);
    if (file.variables[base::index(number)].at_stations) {
      add_to_coordinates(of_grid, places_of(layout, file.variables[base::index(number)].axis));
      add_to_coordinates(of_grid, point_names);
    }
    finish_attributes(layout, file, number, of_grid);
  }
  add_quantization(layout, grid_writer);
  layout.dataset.attributes =
      global_attributes(layout.dataset, file, configuration, declarations.component, history);
  add_feature_type(layout.dataset.attributes, file, declarations);
  return layout;
}

void split_chunks(const DatasetLayout& layout, output::Commit& commit) {
  std::map<int, const VariableLayout*> split;  // by variable
  for (const VariableLayout& variable : layout.variables)
    if (variable.split >= 0) split[variable.variable] = &variable;
  if (split.empty()) return;
  for (output::EncodedChunk& chunk : commit.chunks) {
    const auto found = split.find(chunk.variable);
    if (found == split.end()) continue;
    const auto records =
        std::ssize(chunk.offset) - std::ssize(found->second->shape);  // none of a fixed field
    const auto cell = chunk.offset.begin() + records + found->second->split;
    chunk.variable += static_cast<int>(*cell);
    chunk.offset.erase(cell);
  }
}

double time_stamp(const time::TimeRecord& record, settings::TimeStamp where) {
  const double end = record.turn < 0 ? record.end : record.first_end;
  return where == settings::TimeStamp::end ? end : record.begin + 0.5 * (end - record.begin);
}

}  // namespace tailrace::cf
