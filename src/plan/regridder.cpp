#include "plan/regridder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "model/directions.hpp"
#include "model/healpix.hpp"
#include "output/checks.hpp"
#include "plan/checks.hpp"
#include "plan/merging.hpp"
#include "regrid/method.hpp"
#include "regrid/target_grid.hpp"
#include "time/accumulator.hpp"

namespace tailrace::plan {
namespace {

using regrid::Method;

bool is_linear(Method method) { return !regrid::picks(method); }

// Whether a time operation and the regridding of its samples may change places.
bool commutes(Method method, time::ReductionKind reduction, bool misses_at_times) {
  if (!time::needs_window(reduction) || method == Method::nearest) return true;
  const bool is_sum = reduction == time::ReductionKind::mean || reduction == time::ReductionKind::sum;
  return is_linear(method) && is_sum && !misses_at_times;
}

// Whether two plans make the same values of a target, wherever they are put.
bool makes_same(const RegridPlan& one, const RegridPlan& other) {
  return one.source_field == other.source_field && one.projection == other.projection &&
         one.weights == other.weights && one.stage == other.stage &&
         one.rule.coverage == other.rule.coverage && one.rule.normalisation == other.rule.normalisation;
}

std::string short_name(const regrid::Target& to) {
  if (const auto* healpix = std::get_if<regrid::Healpix>(&to))
    return fmt::format("healpix_z{}", healpix->level);
  if (const auto* gaussian = std::get_if<regrid::Gaussian>(&to))
    return fmt::format("gaussian_f{}", gaussian->number);
  return fmt::format("{}_{}", std::holds_alternative<regrid::LatLon>(to) ? "latlon" : "grid",
                     fmt::join(regrid::shape_of(to), "x"));
}

std::uint64_t digest_of(const std::vector<double>& values) {
  return base::digest(std::as_bytes(std::span(values)));
}

// Attributes that speak of the source's cells, or of numbers that are now between others.
void drop_attributes_of_source(model::Attributes& attributes, bool is_linear) {
  for (const char* name : {"cell_measures", "coordinates", "grid_mapping", "mesh", "location", "expression"})
    attributes.erase(name);
  if (!is_linear) return;
  for (const char* name : {"flag_values", "flag_masks", "flag_meanings"}) attributes.erase(name);
}

// CF 7.3: what stands for the cell, where it is made of an area.
void add_area_method(model::Attributes& attributes, Method method) {
  const char* word = method == Method::conservative   ? "area: mean"
                     : method == Method::largest_area ? "area: mode"
                                                      : "";
  if (*word == '\0') return;
  const std::string before = model::text_of(attributes, "cell_methods");
  if (before.find("area:") != std::string::npos) return;
  attributes["cell_methods"] = before.empty() ? std::string(word) : before + " " + word;
}

}  // namespace

std::string cells_text(const model::Grid& grid, const regrid::HorizontalDims& horizontal) {
  std::string text;
  for (const std::size_t d : horizontal.dims)
    text += fmt::format("{}{}", text.empty() ? "" : " x ", grid.shape[d]);
  if (model::is_healpix(grid))
    return fmt::format("healpix {}, {}", text, model::is_nested(grid) ? "nested" : "ring");
  if (grid.mesh && grid.mesh->node_units.empty()) return "";
  const auto [lat, lon] = model::horizontal_coordinates(grid);
  for (const model::Coordinate* coordinate : {lat, lon}) {
    if (coordinate == nullptr) return "";
    for (std::size_t d = 0; d < horizontal.dims.size(); ++d)
      if (std::ranges::count(coordinate->dims, grid.dims[horizontal.dims[d]]) > 0)
        text += fmt::format(" {}", d);
    if (coordinate->digest != 0)
      text += fmt::format(", {:016x}", coordinate->digest);
    else if (!coordinate->values.empty())
      text += fmt::format(", {:016x} {:016x}", digest_of(coordinate->values), digest_of(coordinate->bounds));
    else
      return "";
  }
  return text;
}

std::string cells_text(const regrid::Target& target) {
  std::string text = regrid::text_of(target);
  if (const auto* rows = std::get_if<regrid::LatLon>(&target))
    text += fmt::format(", {:016x} {:016x}", digest_of(rows->lat), digest_of(rows->lon));
  if (const auto* file = std::get_if<regrid::GridFile>(&target))
    text += fmt::format(", [{}], {}", fmt::join(file->shape, ", "), file->identity);
  return text;
}

Regridder::Regridder(const settings::Configuration& configuration, const model::Declarations& declarations,
                     config::Problems& problems)
    : configuration_(configuration), declarations_(declarations), problems_(problems) {
  const auto asks = [](const settings::OutputEntry& file) {
    return file.copy || std::ranges::any_of(file.variables, [](const settings::VariableEntry& variable) {
             return variable.regrid != nullptr;
           });
  };
  if (std::ranges::none_of(configuration.files, asks)) return;
  regridding_ = std::make_shared<Regridding>();
  regridding_->declarations = declarations;
  for (const model::Field& one : declarations.fields) names_.insert(one.name);
  find_units();
}

// All levels of a pyramid are dealt out in equally many pieces, so that the four cells of a coarser one are
// in the same part. A target may be in several pyramids.
void Regridder::find_units() {
  const auto pieces_of = [this](const regrid::Target& to) -> std::int64_t& {
    const auto found = std::ranges::find(pieces_, to, [](const auto& one) { return one.first; });
    if (found != pieces_.end()) return found->second;
    return pieces_.emplace_back(to, regrid::cells_of(to) / regrid::unit_of(to)).second;
  };
  for (bool changed = true; std::exchange(changed, false);)
    for (const settings::OutputEntry& file : configuration_.files) {
      if (!file.copy || file.copy->halvings == 0 || !file.regrid) continue;
      for (const settings::OutputEntry& other : configuration_.files) {
        if (other.path != file.copy->finer || !other.regrid) continue;
        const std::int64_t mine = pieces_of(file.regrid->target), finer = pieces_of(other.regrid->target);
        if (mine == finer) continue;
        pieces_of(file.regrid->target) = pieces_of(other.regrid->target) = std::min(mine, finer);
        changed = true;
      }
    }
}

std::int64_t Regridder::unit_of(const regrid::Target& to) const {
  for (const auto& [known, pieces] : pieces_)
    if (known == to) return regrid::cells_of(to) / pieces;
  return regrid::unit_of(to);
}

// An option of a whole file does not concern profiles and sums.
bool Regridder::stays(const settings::VariableEntry& variable, int index) const {
  if (variable.says_regrid) return false;
  const model::Grid& on = declarations_.grids[base::index(declarations_.fields[base::index(index)].grid)];
  if (on.kind == model::GridKind::partial || on.mesh || on.mapping) return false;
  const auto [lat, lon] = model::horizontal_coordinates(on);
  return on.kind == model::GridKind::replicated ? lat == nullptr || lon == nullptr : on.dims.empty();
}

std::optional<regrid::HorizontalDims> Regridder::horizontal_of(const settings::VariableEntry& variable,
                                                               int index, const regrid::Merge::Name* child) {
  const model::Field& source = declarations_.fields[base::index(index)];
  const regrid::Options& options = *variable.regrid;
  const auto complain = [&](const std::string& what) {
    const bool has_choice = child == nullptr && !variable.says_regrid;
    problems_.add(child == nullptr ? options.location : child->location,
                  options.config_path + (child == nullptr ? "" : ".merge"),
                  fmt::format("field \"{}\": {}{}", source.name, what,
                              has_choice ? "; or write `regrid: none` with the variable" : ""));
    return std::nullopt;
  };
  const model::Grid& on = declarations_.grids[base::index(source.grid)];
  if (on.kind == model::GridKind::replicated && !on.dims.empty())
    return complain(
        fmt::format("every rank has all cells of grid \"{}\"; expected one that is divided among the "
                    "ranks",
                    on.name));
  try {
    return regrid::horizontal_dims(declarations_, source.grid, options.method);
  } catch (const Error& error) {
    return complain(error.what());
  }
}

RegridPlan Regridder::plan_of(const settings::VariableEntry& variable, int index, const Source& source,
                              const std::optional<VectorSource>& vector) {
  const regrid::Options& options = *variable.regrid;
  const int from = vector ? vector->field : index;
  const model::Field& values = declarations_.fields[base::index(from)];
  const bool misses_at_times = values.fill_value && !values.is_only_masked;
  return {.source_field = from,
          .weights = weights_of(source, options),
          .projection = vector ? vector->projection : Projection::none,
          .rule = {options.method, options.coverage, options.normalisation},
          .stage = commutes(options.method, variable.reduction, misses_at_times) ? Stage::per_record
                                                                                 : Stage::per_sample};
}

std::vector<RegridPlan> Regridder::plans_of(const std::vector<ChildSource>& children,
                                            const settings::VariableEntry& variable, int parent,
                                            const Source& of_parent, Projection projection) {
  std::vector<RegridPlan> plans;
  const auto described = [this](int index, const Source& source) {
    return MergedField{declarations_.fields[base::index(index)],
                       declarations_.grids[base::index(source.grid)], source.horizontal};
  };
  for (const ChildSource& child : children) {
    const auto horizontal = horizontal_of(variable, child.field, child.name);
    if (!horizontal) continue;
    const Source source{declarations_.fields[base::index(child.field)].grid, *horizontal};
    auto complaint = merge_complaint(described(parent, of_parent), described(child.field, source));
    if (!complaint && projection != (child.vector ? child.vector->projection : Projection::none))
      complaint = fmt::format(
          "\"{}\" and its child \"{}\" are not the same component of vectors; expected the "
          "pairs of both under `vectors`",
          declarations_.fields[base::index(parent)].name, child.name->field);
    if (complaint) {
      problems_.add(child.name->location, variable.regrid->config_path + ".merge", *complaint);
      continue;
    }
    plans.push_back(plan_of(variable, child.field, source, child.vector));
    plans.back().stage = Stage::per_sample;
    plans.back().is_child = true;
  }
  return plans;
}

// They stand behind that of their parent.
std::span<RegridPlan> Regridder::children_of(std::size_t regrid) {
  std::vector<RegridPlan>& all = regridding_->regrids;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(regrid) + 1;
  return {begin, std::ranges::find(begin, all.end(), false, &RegridPlan::is_child)};
}

std::optional<int> Regridder::add(const settings::VariableEntry& variable, int index,
                                  const std::optional<VectorSource>& vector,
                                  const std::vector<ChildSource>& children) {
  if (!variable.regrid || stays(variable, index)) return std::nullopt;
  const regrid::Options& options = *variable.regrid;
  const auto horizontal = horizontal_of(variable, index);
  if (!horizontal) return std::nullopt;
  model::Field source = declarations_.fields[base::index(index)];
  const Source from{source.grid, *horizontal};
  if (vector) {
    const model::Field& whole = declarations_.fields[base::index(vector->field)];
    source.type = whole.type;
    source.fill_value = whole.fill_value;
    source.is_only_masked = whole.is_only_masked;
    source.standard_name = vector->standard_name;
  }
  RegridPlan plan = plan_of(variable, index, from, vector);
  std::vector<RegridPlan> over = plans_of(children, variable, index, from, plan.projection);
  if (!over.empty()) plan.stage = Stage::per_sample;
  std::vector<RegridPlan>& all = regridding_->regrids;
  for (std::size_t known = 0; known < all.size(); ++known) {
    if (all[known].is_child || !makes_same(all[known], plan) ||
        !std::ranges::equal(children_of(known), over, makes_same))
      continue;
    if (options.with_fraction && all[known].fraction_field < 0) {
      all[known].fraction_field = add_fraction(source, field(all[known].target_field).grid);
      for (RegridPlan& child : children_of(known)) child.fraction_field = all[known].fraction_field;
    }
    return static_cast<int>(known);
  }
  const int on = target(target_of(from, options.target, plan.weights)).grid;
  plan.target_field = add_field(source, on, plan.rule);
  if (options.with_fraction) plan.fraction_field = add_fraction(source, on);
  const int number = static_cast<int>(all.size());
  all.push_back(plan);
  for (RegridPlan& child : over) {
    child.target_field = plan.target_field;
    child.fraction_field = plan.fraction_field;
    all.push_back(child);
  }
  return number;
}

const regrid::Target& Regridder::target_on(int grid) const {
  return std::ranges::find(regridding_->targets, grid, &TargetGrid::grid)->target;
}

int Regridder::coarsen(const VariablePlan& finer, const regrid::Target& to) {
  const RegridPlan of = at(finer.regrid);
  RegridPlan plan{.source_field = finer.field, .rule = of.rule, .stage = Stage::coarsened};
  const model::DataType type = finer.packing ? finer.unpacked : finer.type;
  if (finer.reduction == time::ReductionKind::max)
    plan.coarsening = Coarsening::maximum;
  else if (finer.reduction == time::ReductionKind::min)
    plan.coarsening = Coarsening::minimum;
  else if (of.coarsening == Coarsening::most_frequent || regrid::picks(of.rule.method) ||
           model::is_integer(type))
    plan.coarsening = Coarsening::most_frequent;
  if (finer.fraction_of >= 0) plan.coarsening = Coarsening::mean;
  if (plan.coarsening == Coarsening::most_frequent && !model::is_integer(type))
    plan.coarsening = Coarsening::mean;  // of real values none is frequent
  std::vector<RegridPlan>& all = regridding_->regrids;
  for (std::size_t known = 0; known < all.size(); ++known)
    if (all[known].stage == Stage::coarsened && all[known].source_field == plan.source_field &&
        all[known].coarsening == plan.coarsening)
      return static_cast<int>(known);
  const model::Field source = field(finer.field);
  const auto fine = std::ranges::find(regridding_->targets, source.grid, &TargetGrid::grid);
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < fine->dims; ++d) dims.push_back(fine->first_dim + d);
  const int number = static_cast<int>(fine - regridding_->targets.begin());
  const int coarse = target_of({source.grid, {dims, {}}}, to, -1);
  TargetGrid& made = regridding_->targets[base::index(coarse)];
  made.finer = number;
  made.row_areas.clear();
  if (made.dims == 2) {
    const auto& rows = std::get<regrid::LatLon>(target(number).target).lat;
    const std::vector<double> bounds = regrid::latitude_bounds(rows, false);
    const auto sine = [](double degrees) { return std::sin(degrees * std::numbers::pi / 180.0); };
    for (std::size_t row = 0; row < rows.size(); ++row)
      made.row_areas.push_back(std::abs(sine(bounds[2 * row + 1]) - sine(bounds[2 * row])));
  }
  model::Field coarser = source;
  coarser.grid = made.grid;
  coarser.name = free_name(fmt::format("{} to {}", source.name, regrid::text_of(to)));
  plan.target_field = static_cast<int>(regridding_->declarations.fields.size());
  regridding_->declarations.fields.push_back(std::move(coarser));
  all.push_back(plan);
  return static_cast<int>(all.size()) - 1;
}

int Regridder::weights_of(const Source& source, const regrid::Options& options) {
  const model::Grid& from = declarations_.grids[base::index(source.grid)];
  const std::string text = cells_text(from, source.horizontal);
  const auto has_cells = [&](const WeightsPlan& known) {
    if (known.source_grid == source.grid) return true;
    const model::Grid& other = declarations_.grids[base::index(known.source_grid)];
    const bool same_mesh = from.mesh && other.mesh && from.mesh->name == other.mesh->name &&
                           from.indexed_dim == other.indexed_dim &&
                           known.source.shape == source.horizontal.shape;
    return same_mesh || (!text.empty() && known.source_text == text);
  };
  for (std::size_t known = 0; known < regridding_->weights.size(); ++known) {
    const WeightsPlan& one = regridding_->weights[known];
    if (one.method == options.method && one.weights == options.weights && one.target == options.target &&
        has_cells(one))
      return static_cast<int>(known);
  }
  const bool has_file = options.method == Method::file;
  WeightsPlan plan{.source_grid = source.grid,
                   .source = source.horizontal,
                   .target = options.target,
                   .method = options.method,
                   .weights = options.weights,
                   .source_text = text,
                   .target_text = cells_text(options.target),
                   .location = has_file ? options.weights_location : options.location,
                   .config_path = has_file ? options.weights_path : options.config_path};
  regridding_->weights.push_back(std::move(plan));
  const int number = static_cast<int>(regridding_->weights.size()) - 1;
  regridding_->weights.back().target_cells = cells_of(source, options.target, number);
  return number;
}

int Regridder::add_target(model::Grid made, const regrid::Target& to, std::size_t first_dim,
                          std::size_t dims) {
  const std::string wished = made.name;
  for (int number = 2; regridding_->declarations.find_grid(made.name); ++number)
    made.name = fmt::format("{}_{}", wished, number);
  TargetGrid plan{.grid = static_cast<int>(regridding_->declarations.grids.size()),
                  .target = to,
                  .first_dim = first_dim,
                  .dims = dims,
                  .cells = regrid::cells_of(to),
                  .unit = unit_of(to)};
  regridding_->declarations.grids.push_back(std::move(made));
  regridding_->targets.push_back(std::move(plan));
  return static_cast<int>(regridding_->targets.size()) - 1;
}

// The grid with the horizontal dims alone, and coordinates whose values servers give.
int Regridder::cells_of(const Source& source, const regrid::Target& to, int weights) {
  for (std::size_t known = 0; known < regridding_->targets.size(); ++known) {
    const TargetGrid& one = regridding_->targets[known];
    if (one.target == to && grid(one.grid).dims.size() == one.dims) return static_cast<int>(known);
  }
  const model::Grid& whole = regridding_->declarations.grids[base::index(source.grid)];
  model::Grid flat;
  std::vector<std::size_t> horizontal;
  for (const std::size_t d : source.horizontal.dims) {
    horizontal.push_back(flat.dims.size());
    flat.dims.push_back(whole.dims[d]);
    flat.shape.push_back(whole.shape[d]);
  }
  model::Grid made = regrid::target_grid(to, flat, horizontal, std::string(regridded_grid) + short_name(to));
  const std::size_t dims = made.dims.size();
  const int number = add_target(std::move(made), to, 0, dims);
  add_static_coordinates(number, weights);
  return number;
}

void Regridder::add_static_coordinates(int cells, int weights) {
  using Kind = TargetCoordinate::Kind;
  const int on = target(cells).grid;
  const auto* file = std::get_if<regrid::GridFile>(&target(cells).target);
  const std::int64_t corners = file == nullptr ? 0 : file->corners;
  const int with_corners = corners > 0 ? grid_with_corners(cells, corners) : -1;
  for (std::size_t c = 0; c < grid(on).coordinates.size(); ++c) {
    const model::Coordinate coordinate = grid(on).coordinates[c];
    if (!coordinate.values.empty()) continue;
    const bool is_lat = model::is_latitude(coordinate);
    const Kind kind = file == nullptr ? Kind::cell_number : is_lat ? Kind::lat : Kind::lon;
    const int values = add_static(on, coordinate, kind, file == nullptr ? -1 : weights);
    grid(on).coordinates[c].field = values;
    if (with_corners < 0) continue;
    const int bounds =
        add_static(with_corners, coordinate, is_lat ? Kind::lat_corners : Kind::lon_corners, weights);
    grid(on).coordinates[c].bounds_field = bounds;
  }
}

int Regridder::grid_with_corners(int cells, std::int64_t corners) {
  const TargetGrid of = target(cells);
  model::Grid made = grid(of.grid);
  made.name += " with corners";
  made.coordinates.clear();
  made.mapping.reset();
  made.dims.emplace_back("corner");
  made.shape.push_back(corners);
  return target(add_target(std::move(made), of.target, 0, of.dims)).grid;
}

int Regridder::add_static(int on, const model::Coordinate& coordinate, TargetCoordinate::Kind kind,
                          int weights) {
  const bool is_number = kind == TargetCoordinate::Kind::cell_number;
  const bool is_bounds =
      kind == TargetCoordinate::Kind::lat_corners || kind == TargetCoordinate::Kind::lon_corners;
  model::Field made;
  made.name = free_name(fmt::format("{}{} of {}", coordinate.name, is_bounds ? "_bnds" : "", grid(on).name));
  made.grid = on;
  made.type = is_number ? model::DataType::int64 : model::DataType::float64;
  made.units = coordinate.units;
  made.is_static = true;
  const int number = static_cast<int>(regridding_->declarations.fields.size());
  regridding_->declarations.fields.push_back(std::move(made));
  regridding_->coordinates.push_back({kind, number, weights});
  return number;
}

// `weights`: -1 of a coarser level, whose source is a grid of the next finer one.
int Regridder::target_of(const Source& source, const regrid::Target& to, int weights) {
  const model::Grid whole = regridding_->declarations.grids[base::index(source.grid)];
  const int cells = cells_of(source, to, weights);
  std::string name = grid(target(cells).grid).name;
  for (std::size_t d = 0; d < whole.dims.size(); ++d)
    if (std::ranges::count(source.horizontal.dims, d) == 0) name += " of " + whole.dims[d];
  model::Grid made = regrid::target_grid(to, whole, source.horizontal.dims, name);
  for (model::Coordinate& coordinate : made.coordinates)
    for (const model::Coordinate& known : grid(target(cells).grid).coordinates)
      if (known.name == coordinate.name && known.dims == coordinate.dims && known.field) coordinate = known;
  for (std::size_t known = 0; known < regridding_->targets.size(); ++known) {
    const TargetGrid& one = regridding_->targets[known];
    const model::Grid& other = grid(one.grid);
    const auto names = [](const model::Grid& of) {
      std::vector<std::string> all;
      for (const model::Coordinate& coordinate : of.coordinates)
        all.push_back(fmt::format("{} {:016x} {}", coordinate.name, digest_of(coordinate.values),
                                  coordinate.field.value_or(-1)));
      return all;
    };
    if (one.target == to && other.dims == made.dims && other.shape == made.shape &&
        names(other) == names(made))
      return static_cast<int>(known);
  }
  const std::size_t dims = regrid::shape_of(to).size();
  std::size_t first = source.horizontal.dims.front();
  return add_target(std::move(made), to, first, dims);
}

std::string Regridder::free_name(const std::string& wished) {
  std::string name = wished;
  for (int number = 2; !names_.insert(name).second; ++number) name = fmt::format("{} ({})", wished, number);
  return name;
}

int Regridder::add_field(const model::Field& source, int on, const regrid::Rule& rule) {
  model::Field made = source;
  const auto found = std::ranges::find(regridding_->targets, on, &TargetGrid::grid);
  made.name = free_name(fmt::format("{} on {}", source.name, regrid::text_of(found->target)));
  made.grid = on;
  if (model::is_integer(source.type) && is_linear(rule.method)) made.type = model::DataType::float64;
  made.fill_value =
      source.fill_value
          ? (made.type == source.type ? *source.fill_value : model::FillValue(source.fill_value->number))
          : model::default_fill(made.type);
  made.is_only_masked = false;
  drop_attributes_of_source(made.attributes, made.type != source.type);
  add_area_method(made.attributes, rule.method);
  regridding_->declarations.fields.push_back(std::move(made));
  return static_cast<int>(regridding_->declarations.fields.size()) - 1;
}

// Its variables say how they were made, and what is appended to them must be made so too.
std::shared_ptr<const Regridding> Regridder::finish() {
  if (!regridding_) return nullptr;
  for (const RegridPlan& plan : regridding_->regrids)
    if (!plan.is_child)
      regridding_->declarations.fields[base::index(plan.target_field)]
          .attributes[output::regridding_attribute] = text_of(*regridding_, plan);
  return regridding_;
}

int Regridder::add_fraction(const model::Field& of, int on) {
  model::Field made;
  const auto found = std::ranges::find(regridding_->targets, on, &TargetGrid::grid);
  made.name = free_name(fmt::format("valid share of {} on {}", of.name, regrid::text_of(found->target)));
  made.grid = on;
  made.units = "1";
  made.long_name = fmt::format("fraction of the cell with values of {}", of.name);
  regridding_->declarations.fields.push_back(std::move(made));
  return static_cast<int>(regridding_->declarations.fields.size()) - 1;
}

}  // namespace tailrace::plan
