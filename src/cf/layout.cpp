#include "cf/layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/index.hpp"
#include "cf/chunk_shape.hpp"
#include "cf/conventions.hpp"
#include "cf/grid.hpp"
#include "cf/quantization.hpp"
#include "cf/text.hpp"
#include "model/healpix.hpp"
#include "plan/append/write_amplification.hpp"

namespace tailrace::cf {
namespace {

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

ChunkShape chunk_of(const plan::VariablePlan& plan, const std::vector<std::int64_t>& shape,
                    const plan::DatasetPlan& file) {
  if (plan.chunk.empty()) {
    ChunkShape chunk = choose_chunk(shape, model::size_of(plan.type), file.entry.access, file.open_bytes);
    // A file that the model opens may get one record, and readers want each at once.
    const auto records = file.entry.is_opened_by_model
                             ? std::optional(1.0)
                             : conventions_of(file.entry.layout).records_of_commit(file, plan);
    if (records) chunk = fill_by_commits(chunk, shape, model::size_of(plan.type), *records);
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
  if (file.entry.is_opened_by_model && plan.chunk.empty()) chunk.records = 1;
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
  spec.fill_value = layout.conventions->fill_value(plan, field);
  spec.attributes = layout.conventions->describe(plan, field);
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

void share_among_parts(Draft& draft, int variable) {
  const std::size_t first = base::index(draft.layout.variables[base::index(variable)].variable);
  const std::size_t parts = names_in_file(draft.file.variables[base::index(variable)]).size();
  std::vector<output::VariableSpec>& variables = draft.layout.dataset.variables;
  for (std::size_t part = 1; part < parts; ++part)
    variables[first + part].attributes = variables[first].attributes;
}

}  // namespace

const model::Field& Draft::field_of(int variable) const {
  return declarations.fields[base::index(file.variables[base::index(variable)].field)];
}

output::Attributes& Draft::attributes_of(int variable) {
  return layout.dataset.variables[base::index(layout.variables[base::index(variable)].variable)].attributes;
}

std::vector<std::string> names_in_file(const plan::VariablePlan& plan) {
  return plan.split < 0 ? std::vector{plan.name} : plan.parts;
}

std::optional<model::FillValue> own_fill(const plan::VariablePlan& plan, const model::Field& field) {
  if (plan.fill_value) return *plan.fill_value;
  const bool keeps =
      field.fill_value && !plan.packing && plan.reduction != time::ReductionKind::valid_fraction;
  return keeps && model::can_hold(plan.type, field.fill_value->number) ? field.fill_value : std::nullopt;
}

const Conventions& conventions_of(settings::Layout layout) {
  return layout == settings::Layout::wrf ? wrf_conventions() : cf_conventions();
}

void add_file_attributes(const plan::DatasetPlan& file, const DatasetLayout& layout,
                         const output::Attributes& given, output::Attributes& attributes) {
  for (const auto& [name, value] : given)
    if (std::ranges::none_of(file.entry.attributes,
                             [&](const auto& of_user) { return of_user.first == name; }))
      set_attribute(attributes, name, value);
  layout.conventions->write_as(attributes);
}

DatasetLayout make_layout(const plan::DatasetPlan& file, const settings::Configuration& configuration,
                          const model::Declarations& declarations, const model::Decomposition&,
                          const std::string& history) {
  DatasetLayout layout;
  layout.dataset.path = file.entry.path;
  layout.dataset.sync = file.entry.sync;
  layout.dataset.options = file.entry.format_options;
  if (configuration.servers.report) layout.dataset.report_directory = configuration.servers.report_directory;

  layout.conventions = &conventions_of(file.entry.layout);
  layout.calendar = calendar::Calendar(configuration.time.calendar, configuration.time.start);

  Names names;
  const std::vector<int> grids = grids_in_use(file, declarations);
  GridWriter grid_writer(layout, file, declarations, names, grids);
  Draft draft{layout, file, configuration, declarations, names, grid_writer};
  const Conventions& conventions = *layout.conventions;
  add_axis_dims(layout, file, names);
  for (const plan::VariablePlan& variable : file.variables)
    for (const std::string& name : names_in_file(variable)) names.take(name, "field");
  for (const plan::OptionTablePlan& table : file.option_tables) names.take(table.name, "table");
  conventions.add_times(draft);
  conventions.add_dims(draft);

  const int count = static_cast<int>(file.variables.size());
  for (int number = 0; number < count; ++number) {
    const int grid = draft.field_of(number).grid;
    add_variable(layout, file, number, draft.field_of(number),
                 grid < 0 ? nullptr : &declarations.grids[base::index(grid)],
                 grid < 0 ? std::vector<int>{} : grid_writer.dims_of(grid));
  }
  conventions.add_coordinates(draft);
  for (int number = 0; number < count; ++number) {
    conventions.finish_attributes(draft, number);
    share_among_parts(draft, number);
  }
  add_quantization(layout, grid_writer);
  layout.dataset.attributes = conventions.global_attributes(draft, history);
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
