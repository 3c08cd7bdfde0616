#include "input/entry/field_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "input/levels_dim.hpp"
#include "units/unit_system.hpp"

namespace tailrace::input {
namespace {

constexpr std::int64_t most_bytes_that_stay = std::int64_t{64} << 20;  // of a cycle, over the whole grid

[[noreturn]] void refuse(ErrorCode code, const std::string& why) { throw Error(code, why); }

std::string units_of_target(const std::string& to, const model::Grid& grid,
                            const model::Declarations& declarations) {
  const auto named = std::ranges::find(grid.coordinates, to, &model::Coordinate::name);
  if (named != grid.coordinates.end()) return named->units;
  if (const auto field = declarations.find_field(to)) return declarations.fields[base::index(*field)].units;
  std::vector<std::string> known = declarations.field_names();
  for (const model::Coordinate& one : grid.coordinates) known.push_back(one.name);
  refuse(ErrorCode::configuration,
         fmt::format(
             "`vertical` names {}, which is neither a coordinate of the grid {} nor a field of the model.{}",
             to, grid.name, base::name_hint(to, known)));
}

std::int64_t product_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// A coordinate of the file in the units of the grid, where both are known.
void convert_coordinate(AxisDim& file, const AxisDim& grid) {
  if (file.units.empty() || grid.units.empty() || file.coordinate.empty()) return;
  const auto conversion = units::unit_system().conversion(file.units, grid.units);
  if (!conversion || conversion->same()) return;
  for (double& value : file.coordinate) value = value * conversion->scale + conversion->offset;
}

}  // namespace

FieldRecipe::FieldRecipe(int field, const FieldRequest& request, const ReaderContext& context,
                         const std::atomic<bool>& is_stopped)
    : field_(field),
      request_(request),
      context_(context),
      declared_(context.declarations.fields[base::index(field)]),
      grid_(context.declarations.grids[base::index(declared_.grid)]),
      is_stopped_(is_stopped),
      grid_dims_(dims_of(grid_)),
      shape_(grid_.shape),
      timeline_(context.calendar) {
  if (request.regrid) regridding_.emplace(*request.regrid, context, declared_.grid, is_stopped);
  if (!request.vertical) return;
  level_units_ = units_of_target(request.vertical->to, grid_, context.declarations);
  vertical_ = base::index(levels_dim(grid_, request.vertical->to));
  grid_dims_[*vertical_].kind = DimKind::vertical;
  if (regridding_ && regridding_->is_horizontal(*vertical_))
    refuse(ErrorCode::configuration, fmt::format("`vertical` names {}, which lies along a horizontal dim of "
                                                 "the grid {}",
                                                 request.vertical->to, grid_.name));
}

// Finds out which dims are looked for in the file, and with which cells.
void FieldRecipe::look_at_cells(FileCoordinates& coordinates, const VariableHeader& variable,
                                std::vector<AxisDim>& dims) {
  wanted_dims_ = grid_dims_;
  if (!regridding_) return;
  regridding_->add(coordinates, variable);
  if (regridding_->is_needed()) wanted_dims_ = regridding_->dims_to_match(dims, grid_dims_);
}

// The index of the vertical dim among those that are looked for.
std::size_t FieldRecipe::vertical_in_file_order() const {
  std::size_t at = *vertical_;
  for (std::size_t d = 0; is_regridded() && d < *vertical_; ++d)
    if (regridding_->is_horizontal(d)) --at;
  return at;
}

Regridded FieldRecipe::regridded() const {
  if (!is_regridded()) return Regridded::no;
  return regridding_->computes() ? Regridded::computed : Regridded::chosen;
}

// Levels may be known by their units alone.
std::vector<AxisDim> FieldRecipe::file_dims(FileCoordinates& coordinates,
                                            const VariableHeader& variable) const {
  std::vector<AxisDim> dims = coordinates.dims_of(variable);
  const auto is_vertical = [](const AxisDim& dim) { return dim.kind == DimKind::vertical; };
  const auto may_be = [&](const AxisDim& dim) {
    return dim.kind == DimKind::other && !dim.units.empty() && !level_units_.empty() &&
           !units::unit_system().is_dimensionless(dim.units) &&
           units::unit_system().conversion(dim.units, level_units_);
  };
  if (vertical_ && std::ranges::none_of(dims, is_vertical) && std::ranges::count_if(dims, may_be) == 1)
    std::ranges::find_if(dims, may_be)->kind = DimKind::vertical;
  for (AxisDim& dim : dims)
    for (const AxisDim& own : grid_dims_) {
      const bool is_pair = dim.kind == own.kind && (is_vertical(dim) || dim.name == own.name);
      if (is_pair && (is_vertical(dim) || dim.kind == DimKind::other)) convert_coordinate(dim, own);
    }
  return dims;
}

void FieldRecipe::add_times(std::size_t file, FileCoordinates& coordinates, const VariableHeader& variable,
                            int time) {
  std::optional<TimeAxis> axis;
  const bool is_single = time == Match::none || variable.shape[base::index(time)] == 1;
  if (request_.time.rule == TimeRule::none && is_single) {
    axis = TimeAxis{{0.0}, {}, false, "s", ""};  // the only record has no need of a time
  } else {
    axis = coordinates.time_axis(variable, time);
  }
  if (!axis)
    refuse(ErrorCode::configuration, fmt::format("it has no dim of time among {}; expected `time: none`",
                                                 fmt::join(variable.dims, ", ")));
  timeline_.add(static_cast<std::int32_t>(file), *axis, request_.time_offset);
}

void FieldRecipe::add_levels(FileCoordinates& coordinates, const VariableHeader& variable, const Match& match,
                             FileRecipe& recipe) {
  const std::size_t vertical = vertical_in_file_order();
  const int dim = match.file_dim[vertical];
  if (dim == Match::none)
    refuse(ErrorCode::configuration,
           fmt::format("it has no vertical dim among {}, but `vertical` is asked for",
                       fmt::join(variable.dims, ", ")));
  std::vector<AxisDim> columns = wanted_dims_;
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(vertical));
  const auto before = files_.empty() ? nullptr : files_.back().hybrid;
  LevelsOfFile levels = levels_of(coordinates, variable, base::index(dim),
                                  {columns, request_.select, level_units_, before ? before->surface : nullptr,
                                   is_regridded() ? &*regridding_ : nullptr});
  if (levels.hybrid) recipe.hybrid = std::make_shared<HybridRecipe>(std::move(*levels.hybrid));
  if (!levels_) {
    if (!levels.hybrid)  // throws for levels that the rule cannot use
      find_level_weights(levels.levels.levels, {}, request_.vertical->options, {});
    shape_[*vertical_] = levels.levels.count;
    levels_ = std::move(levels.levels);
  } else if (levels_->count != levels.levels.count || levels_->levels != levels.levels.levels ||
             levels_->come_with_records != levels.levels.come_with_records) {
    refuse(ErrorCode::resource, fmt::format("its levels along {} differ from those of the first file",
                                            variable.dims[base::index(dim)]));
  }
}

void FieldRecipe::add(std::size_t file, FileCoordinates& coordinates) {
  const VariableHeader& variable = coordinates.variable(request_.variable);
  std::vector<AxisDim> dims = file_dims(coordinates, variable);
  look_at_cells(coordinates, variable, dims);
  VariableRecipe values;
  values.variable = variable;
  Match match = match_dims({dims.begin(), dims.end()}, {wanted_dims_.begin(), wanted_dims_.end()},
                           request_.select, vertical_.has_value());
  if (is_regridded()) regridding_->restrict(match);
  values.match = std::make_shared<Match>(std::move(match));
  const ValuePlan plan = plan_values(variable, request_, declared_, regridded());
  fits_model_ = fits_model_ && plan.fits_model;
  fits_float32_ = fits_float32_ && plan.fits_float32;
  values.rules = plan.rules;
  add_times(file, coordinates, variable, values.match->time);
  FileRecipe recipe;
  if (vertical_) add_levels(coordinates, variable, *values.match, recipe);
  const FileRecipe before =
      files_.empty() ? FileRecipe{} : files_.back();  // most often of the same structure
  recipe.values = shared_with(before.values, std::move(values));
  files_.push_back(std::move(recipe));
}

std::unique_ptr<FieldRecipe> FieldRecipe::copy() const {
  auto other = std::make_unique<FieldRecipe>(field_, request_, context_, is_stopped_);
  other->regridding_ = regridding_;
  other->shape_ = shape_;
  other->timeline_ = timeline_;
  other->levels_ = levels_;
  other->fits_model_ = fits_model_;
  other->fits_float32_ = fits_float32_;
  other->files_ = files_;
  return other;
}

std::string FieldRecipe::time_dim() const {
  if (files_.empty()) return "";
  const VariableRecipe& last = *files_.back().values;
  return last.match->time == Match::none ? "" : last.variable.dims[base::index(last.match->time)];
}

std::int64_t FieldRecipe::cells() const { return product_of(shape_); }

model::DataType FieldRecipe::travels_as() const {
  if (fits_float32_) return model::DataType::float32;
  return fits_model_ ? declared_.type : model::DataType::float64;
}

PreparedField FieldRecipe::finish() {
  timeline_.finish();
  if (timeline_.records().empty())
    refuse(ErrorCode::resource,
           timeline_.left_out() > 0 ? "the model's calendar has none of its days" : "there is no record");
  TimeSelector(timeline_, request_.time, context_.calendar);  // throws for a rule that cannot be applied
  PreparedField prepared{.field = field_,
                         .entry = {},
                         .request = request_,
                         .on_trouble = {},
                         .timeline = timeline_,
                         .files = {},
                         .travels_as = travels_as(),
                         .vertical = levels_,
                         .regridded = regridding_ ? regridding_->description() : "",
                         .stays = false};
  const auto records = static_cast<std::int64_t>(timeline_.records().size());
  const auto bytes = records * cells() * static_cast<std::int64_t>(model::size_of(prepared.travels_as));
  prepared.stays = request_.time.rule == TimeRule::none ||
                   (request_.time.cycle.kind != CycleKind::none && bytes <= most_bytes_that_stay);
  return prepared;
}

RecipesByFile FieldRecipe::recipes() const {
  RecipesByFile recipes;
  for (const FileRecipe& file : files_) recipes.push_back(file.values);
  return recipes;
}

void FieldRecipe::set_recipes(RecipesByFile recipes) {
  for (std::size_t file = 0; file < files_.size(); ++file) files_[file].values = std::move(recipes[file]);
}

void FieldRecipe::start_reading(SourceFiles& files, std::shared_ptr<RecordPages> pages, ChunkMemory& chunks) {
  values_reader_.emplace(files, is_regridded() ? regridding_->source_shape(shape_) : shape_,
                         std::move(pages));
  if (!vertical_) return;
  std::vector<std::int64_t> columns = shape_;
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(*vertical_));
  if (is_regridded()) columns = regridding_->source_shape(shape_, static_cast<int>(*vertical_));
  surface_reader_.emplace(files, columns, std::make_shared<RecordPages>(chunks));
}

// The seconds between a record and the one behind it. The last one of a cycle is as far from the first.
double FieldRecipe::to_next(std::int64_t record) const {
  const std::vector<Record>& records = timeline_.records();
  if (records.size() < 2) return std::numeric_limits<double>::infinity();
  const std::size_t at = std::min(base::index(record), records.size() - 2);
  return records[at + 1].time - records[at].time;
}

void FieldRecipe::read_levels(const RecordReader::Wanted& wanted, RecordValues& values) {
  const HybridRecipe& hybrid = *files_[wanted.file].hybrid;
  const auto count = base::index(cells());
  std::vector<double> surface(count / base::index(levels_->count));
  const auto pressures = std::as_writable_bytes(std::span(surface));
  constexpr auto type = model::DataType::float64;
  if (is_regridded()) {
    const int without = static_cast<int>(*vertical_);
    std::vector<double> source(base::index(product_of(regridding_->source_shape(shape_, without))));
    const auto read = std::as_writable_bytes(std::span(source));
    surface_reader_->read(wanted, hybrid.surface, type, read);
    regridding_->apply(type, read, shape_, pressures, without);
  } else {
    surface_reader_->read(wanted, hybrid.surface, type, pressures);
  }
  values.bytes_read += surface_reader_->take_bytes_read();
  const std::int64_t inner = std::accumulate(shape_.begin() + static_cast<std::ptrdiff_t>(*vertical_) + 1,
                                             shape_.end(), std::int64_t{1}, std::multiplies<>());
  fill_levels(hybrid, surface, levels_->count, inner, std::span(values.bytes).last(count * sizeof(double)));
}

// The values over the grid of the model.
Decoded FieldRecipe::read_values(const RecordReader::Wanted& wanted, model::DataType type,
                                 std::span<std::byte> numbers) {
  const auto& recipe = files_[wanted.file].values;
  if (!is_regridded()) return values_reader_->read(wanted, recipe, type, numbers);
  std::vector<std::byte> source(base::index(product_of(regridding_->source_shape(shape_))) *
                                model::size_of(type));
  Decoded decoded = values_reader_->read(wanted, recipe, type, source);
  decoded.missing = regridding_->apply(type, source, shape_, numbers);
  return decoded;
}

RecordValues FieldRecipe::read(std::int64_t record, model::DataType type) {
  const Record& at = timeline_.records()[base::index(record)];
  const RecordReader::Wanted wanted{base::index(at.file), at.index, to_next(record)};
  const FileRecipe& recipe = files_[wanted.file];
  RecordValues values;
  const std::size_t count = base::index(cells()), own = count * model::size_of(type);
  if (count == 0) return values;
  values.bytes.resize(own + (recipe.hybrid ? count * sizeof(double) : 0));
  const auto numbers = std::span(values.bytes).first(own);
  const Decoded decoded = read_values(wanted, type, numbers);
  values.bytes_read = values_reader_->take_bytes_read();
  if (decoded.overflows)
    refuse(ErrorCode::resource, "a value is beyond what float32, the model's type, holds");
  values.missing = decoded.missing;
  if (values.missing > 0 && request_.missing.kind == MissingRequest::Kind::nearest) {
    if (!nearest_) nearest_.emplace(grid_, shape_, vertical_ ? static_cast<int>(*vertical_) : -1);
    const auto fill = [&]<class Value>(Value) {
      return nearest_->fill(std::span(reinterpret_cast<Value*>(numbers.data()), count));
    };
    values.missing = type == model::DataType::float32 ? fill(float{}) : fill(double{});
  }
  if (recipe.hybrid) read_levels(wanted, values);
  return values;
}

}  // namespace tailrace::input
