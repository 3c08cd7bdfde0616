#include "plan/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "analytics/compile.hpp"
#include "analytics/planning/blocks.hpp"
#include "analytics/user/operator.hpp"
#include "base/index.hpp"
#include "model/directions.hpp"
#include "model/field_index.hpp"
#include "plan/diagnostic_coordinates.hpp"
#include "plan/naming/cell_methods.hpp"
#include "plan/naming/dim_names.hpp"
#include "plan/naming/missing_fields.hpp"
#include "plan/points.hpp"

namespace tailrace::plan {
namespace {

using analytics::Dim;
using analytics::Dims;
using analytics::Place;

double sine(double degrees) { return std::sin(degrees * std::numbers::pi / 180.0); }

class Analyst {
 public:
  Analyst(const settings::Configuration& configuration, const model::Declarations& declarations,
          const model::Decomposition* decomposition, const std::vector<NamedCoordinate>& named,
          config::Problems& problems)
      : configuration_(configuration),
        declarations_(declarations),
        index_(declarations),
        decomposition_(decomposition),
        named_(named),
        problems_(problems) {}

  std::shared_ptr<const Analysis> make() {
    analysis_->declarations = declarations_;
    scope_.options = declarations_.options;
    for (const settings::FieldGroup& group : configuration_.field_groups)
      for (const auto& [name, where] : group.fields) add_field(name, group);
    for (const model::Grid& grid : declarations_.grids)
      for (const model::Coordinate& coordinate : grid.coordinates) add_coordinate(grid, coordinate);
    for (const NamedCoordinate& one : named_) add_named(one);
    scope_.operators = analytics::user::make_operators(configuration_.operators, problems_);
    if (problems_.touch("operators"))
      return analysis_;  // expressions that call them would only repeat the message
    auto compiled = analytics::compile(sources(), scope_, problems_);
    analysis_->graph = std::move(compiled.graph);
    analysis_->warnings = std::move(compiled.warnings);
    analysis_->details = std::move(compiled.details);
    if (!problems_.empty()) return analysis_;
    const Surveyed found = survey();
    for (std::size_t d = 0; d < analysis_->graph.diagnostics.size(); ++d)
      add_diagnostic(analysis_->graph.diagnostics[d], found);
    add_sampled_fields();
    return analysis_;
  }

 private:
  // Placement and coordinates of the current nodes of the graph.
  struct Surveyed {
    std::vector<Place> place;
    DiagnosticCoordinates coordinates;
  };

  Surveyed survey() const {
    std::vector<Place> places;
    for (const auto& input : analysis_->inputs) places.push_back(input.place);
    return {analytics::make_placement(analysis_->graph, places, 1, 0).place,
            DiagnosticCoordinates(analysis_->graph, origins_, scope_.coordinates)};
  }

  void add_sampled_fields() {
    const auto input_of = [this](const model::Grid& grid, const model::Coordinate& coordinate) {
      return input_of_coordinate(grid, coordinate);
    };
    const auto all = sample_fields(configuration_, scope_.inputs, input_of, *analysis_, problems_);
    if (all.empty() || !problems_.empty()) return;
    const Surveyed found = survey();
    for (const SampledField& sampled : all) {
      const analytics::Diagnostic& diagnostic = analysis_->graph.diagnostics[base::index(sampled.diagnostic)];
      model::Field field = field_of(sampled, *analysis_);
      field.grid = grid_for(diagnostic, found);
      add_coordinates(sampled, *analysis_, analysis_->declarations.grids[base::index(field.grid)]);
      const int number = static_cast<int>(analysis_->declarations.fields.size());
      analysis_->field_of_diagnostic.push_back(number);
      analysis_->at_stations.push_back({sampled.file->path, sampled.field, number});
      analysis_->declarations.fields.push_back(std::move(field));
    }
  }

  std::vector<analytics::DiagnosticSource> sources() const {
    std::vector<analytics::DiagnosticSource> sources;
    for (const settings::DiagnosticEntry& entry : configuration_.diagnostics) {
      const bool lacks = !entry.optional && mentions_any(entry.is, absent_);
      sources.push_back({entry.name, entry.is_location, "diagnostics." + entry.name + ".is", entry.is,
                         entry.units, entry.long_name, entry.standard_name, entry.optional || lacks});
    }
    return sources;
  }

  void add_field(const std::string& name, const settings::FieldGroup& group) {
    const auto index = index_.find(name);
    if (!index || !declarations_.fields[base::index(*index)].is_put()) {
      if (group.optional) absent_.insert(name);
      return;
    }
    const model::Field& field = declarations_.fields[base::index(*index)];
    const model::Grid& grid = declarations_.grids[base::index(field.grid)];
    analytics::Shape shape = shape_on(field.grid);
    if (!field.units.empty()) shape.units = field.units;
    analytics::EngineInput input;
    if (grid.kind == model::GridKind::partial) {
      const std::size_t ranks = decomposition_ ? decomposition_->ranks() : 1;
      const Dim across{std::string(analytics::rank_dim), static_cast<std::int64_t>(ranks), true};
      shape.dims.insert(shape.dims.begin(), across);
    }
    // The field of a single rank is treated as a block, so that its diagnostics are described like those of
    // many ranks.
    input.place = grid.kind == model::GridKind::replicated ? Place::global : Place::local;
    input.fixed = group.once;
    if (decomposition_ && input.place == Place::local) input.regions = regions_of(field.grid);
    if (field.fill_value) input.fill = field.fill_value->number;
    scope_.inputs.push_back({name, std::move(shape), field.fill_value.has_value()});
    analysis_->inputs.push_back(std::move(input));
    analysis_->field_of_input.push_back(*index);
    origins_.push_back({&grid, field.standard_name, field.long_name, field.attributes});
  }

  bool is_split(int grid, std::size_t dim) const {
    const model::Grid& found = declarations_.grids[base::index(grid)];
    if (found.kind == model::GridKind::replicated || found.kind == model::GridKind::partial) return false;
    if (!decomposition_) return true;
    const auto& regions = decomposition_->regions[base::index(grid)];
    const model::Runs whole{{0, found.shape[dim]}};  // a list in another order is none: operators count cells
    return std::ranges::any_of(regions.distinct(), [&](const model::Region& region) {
      return region.rank() <= dim || region.runs(dim) != whole;
    });
  }

  // Inputs on one grid share their regions.
  model::Regions regions_of(int grid) {
    const model::Grid& found = declarations_.grids[base::index(grid)];
    if (found.kind != model::GridKind::partial) return decomposition_->regions[base::index(grid)];
    model::Regions& regions = contributions_[grid];
    if (!regions.empty()) return regions;
    for (std::size_t part = 0; part < decomposition_->parts(); ++part) {
      if (part >= decomposition_->ranks()) {
        regions.push_back(model::Region(std::vector<model::Runs>(found.shape.size() + 1)));
        continue;
      }
      std::vector<model::Runs> runs{{{static_cast<std::int64_t>(part), 1}}};
      for (const std::int64_t extent : found.shape) runs.push_back({{0, extent}});
      regions.push_back(model::Region(std::move(runs)));
    }
    return regions;
  }

  // A coordinate name with different values on different grids is not available in expressions, nor is one
  // given in parts on several grids, unless their digests are equal. The joined values along a dim are known
  // nevertheless.
  void add_coordinate(const model::Grid& grid, const model::Coordinate& coordinate) {
    if (model::is_latitude(coordinate))
      for (const std::string& dim : coordinate.dims) scope_.latitudes.try_emplace(dim, coordinate.name);
    if (coordinate.values.empty() && !coordinate.field) return;
    const auto [seen, fresh] = coordinates_.try_emplace(coordinate.name, &coordinate);
    if (!fresh) return;
    const bool is_field = std::any_of(scope_.inputs.begin(), scope_.inputs.end(),
                                      [&](const auto& input) { return input.name == coordinate.name; });
    bool other_parts = false;
    for (const model::Grid& other : declarations_.grids)
      for (const model::Coordinate& rival : other.coordinates) {
        if (&rival == &coordinate || rival.name != coordinate.name) continue;
        if (rival.digest != 0 && rival.digest == coordinate.digest && rival.dims == coordinate.dims) continue;
        if (rival.values != coordinate.values) return;
        other_parts = other_parts || rival.field || coordinate.field;
      }
    const bool is_axis = coordinate.dims.size() == 1 && coordinate.dims.front() == coordinate.name;
    if (is_axis && !coordinate.values.empty()) scope_.coordinates.push_back(dim_coordinate_of(coordinate));
    if (other_parts) return;
    if (coordinate.measure == "area")
      for (const std::string& dim : coordinate.dims) scope_.areas[dim] = coordinate.name;
    if (coordinate.field) {
      if (!is_field) add_parts(grid, coordinate, coordinate.name);
      return;
    }
    if (model::is_latitude(coordinate)) add_areas(grid, coordinate, shape_of(grid, coordinate));
    if (!is_field) add_known(grid, coordinate, coordinate.name);
  }

  // Those of vectors; the axes of the Earth lie along a dim of no grid.
  void add_named(const NamedCoordinate& one) {
    if (one.grid < 0) {
      analytics::Shape shape;
      shape.units = one.coordinate.units;
      shape.dims.push_back({one.coordinate.dims.front(), std::ssize(one.coordinate.values), false});
      scope_.inputs.push_back({one.name, std::move(shape)});
      analysis_->inputs.push_back({Place::known, {}, one.coordinate.values});
      analysis_->field_of_input.push_back(-1);
      origins_.push_back({nullptr, "", "", {}});
      return;
    }
    const model::Grid& grid = declarations_.grids[base::index(one.grid)];
    if (one.coordinate.field)
      add_parts(grid, one.coordinate, one.name);
    else
      add_known(grid, one.coordinate, one.name);
  }

  // The areas of cells between two parallels are proportional to the differences of the sines of their
  // bounds. A measure of the model takes precedence.
  void add_areas(const model::Grid& grid, const model::Coordinate& latitude, analytics::Shape shape) {
    if (latitude.dims.size() != 1 || latitude.bounds.size() != 2 * latitude.values.size()) return;
    const std::string name = "area along " + latitude.dims.front();
    if (!scope_.areas.try_emplace(latitude.dims.front(), name).second) return;
    std::vector<double> areas;
    for (std::size_t i = 0; i < latitude.values.size(); ++i)
      areas.push_back(std::abs(sine(latitude.bounds[2 * i + 1]) - sine(latitude.bounds[2 * i])));
    shape.units = "1";
    scope_.inputs.push_back({name, std::move(shape)});
    analysis_->inputs.push_back({Place::known, {}, std::move(areas)});
    analysis_->field_of_input.push_back(-1);
    origins_.push_back({&grid, "", "", {}});
  }

  // For those who need it whether or not expressions see it: its name may stand for several.
  int input_of_coordinate(const model::Grid& grid, const model::Coordinate& coordinate) {
    const std::string name = fmt::format("{} of grid {}", coordinate.name, grid.name);
    for (std::size_t i = 0; i < scope_.inputs.size(); ++i)
      if (scope_.inputs[i].name == name ||
          (coordinate.field && analysis_->field_of_input[i] == *coordinate.field))
        return static_cast<int>(i);
    if (coordinate.field)
      add_parts(grid, coordinate, name);
    else
      add_known(grid, coordinate, name);
    return static_cast<int>(scope_.inputs.size()) - 1;
  }

  void add_known(const model::Grid& grid, const model::Coordinate& coordinate, const std::string& name) {
    scope_.inputs.push_back({name, shape_of(grid, coordinate)});
    analysis_->inputs.push_back({Place::known, {}, coordinate.values});
    analysis_->field_of_input.push_back(-1);
    origins_.push_back({&grid, coordinate.standard_name, coordinate.long_name, coordinate.attributes});
  }

  static analytics::Shape shape_of(const model::Grid& grid, const model::Coordinate& coordinate) {
    analytics::Shape shape;
    if (!coordinate.units.empty()) shape.units = coordinate.units;
    for (const std::string& dim : coordinate.dims) {
      const auto found = std::find(grid.dims.begin(), grid.dims.end(), dim);
      shape.dims.push_back({dim, grid.shape[base::index(found - grid.dims.begin())], false});
    }
    return shape;
  }

  // A coordinate given in parts is an input whose blocks arrive once, in `ready`.
  void add_parts(const model::Grid& grid, const model::Coordinate& coordinate, const std::string& name) {
    const int part = declarations_.fields[base::index(*coordinate.field)].grid;
    analytics::Shape shape = shape_on(part);
    if (!coordinate.units.empty()) shape.units = coordinate.units;
    analytics::EngineInput input;
    input.fixed = true;
    if (decomposition_) input.regions = regions_of(part);
    // Only a coordinate of a grid with holes has one.
    if (const auto& fill = declarations_.fields[base::index(*coordinate.field)].fill_value)
      input.fill = fill->number;
    scope_.inputs.push_back({name, std::move(shape), input.fill.has_value()});
    analysis_->inputs.push_back(std::move(input));
    analysis_->field_of_input.push_back(*coordinate.field);
    origins_.push_back({&grid, coordinate.standard_name, coordinate.long_name, coordinate.attributes});
  }

  analytics::Shape shape_on(int grid) const {
    const model::Grid& found = declarations_.grids[base::index(grid)];
    analytics::Shape shape;
    for (std::size_t d = 0; d < found.dims.size(); ++d)
      shape.dims.push_back({found.dims[d], found.shape[d], is_split(grid, d)});
    return shape;
  }

  void add_diagnostic(const analytics::Diagnostic& diagnostic, const Surveyed& found) {
    model::Field field;
    field.name = diagnostic.name;
    field.type = model::DataType::float64;
    field.units = diagnostic.units;
    field.standard_name = diagnostic.standard_name;
    field.long_name = diagnostic.long_name;
    field.attributes = {{"expression", diagnostic.text}};
    if (std::string words = cell_methods_of(diagnostic.reduced, sources_of(diagnostic)); !words.empty())
      field.attributes["cell_methods"] = std::move(words);
    const settings::DiagnosticEntry* said = nullptr;
    for (const settings::DiagnosticEntry& entry : configuration_.diagnostics) {
      if (entry.name != diagnostic.name) continue;
      for (const auto& [name, value] : entry.attributes) field.attributes[name] = value;
      field.coordinates = entry.coordinates;
      said = &entry;
    }
    if (diagnostic.may_miss) field.fill_value = std::numeric_limits<double>::quiet_NaN();
    field.grid = grid_for(diagnostic, found, said == nullptr ? std::vector<std::string>{} : said->dims);
    analysis_->field_of_diagnostic.push_back(static_cast<int>(analysis_->declarations.fields.size()));
    analysis_->declarations.fields.push_back(std::move(field));
  }

  // The grids of the fields from which it is computed, without those of coordinates.
  std::vector<const model::Grid*> sources_of(const analytics::Diagnostic& diagnostic) const {
    std::vector<const model::Grid*> sources;
    for (const int input : diagnostic.inputs) {
      const int field = analysis_->field_of_input[base::index(input)];
      if (field >= 0 && !declarations_.fields[base::index(field)].is_static)
        sources.push_back(&declarations_.grids[base::index(declarations_.fields[base::index(field)].grid)]);
    }
    return sources;
  }

  // One of the model's grids if the diagnostic has the same dimensions, cells and parts; it then has its
  // coordinates and mesh.
  // `names`: of its dims, where the configuration gives them.
  int grid_for(const analytics::Diagnostic& diagnostic, const Surveyed& surveyed,
               const std::vector<std::string>& names = {}) {
    const auto& [place, coordinates] = surveyed;
    const bool local = place[base::index(diagnostic.node)] == Place::local;
    const analytics::Shape& shape = analysis_->graph.nodes[base::index(diagnostic.node)].shape;
    const bool as_declared = coordinates.as_declared(diagnostic.node);
    std::vector<std::string> dims;
    std::vector<std::int64_t> extents;
    for (const Dim& dim : shape.dims) {
      dims.push_back(dim.name);
      extents.push_back(dim.extent);
    }
    const std::vector<const model::Grid*> sources = sources_of(diagnostic);
    for (const model::Grid* found : sources) {
      const bool in_blocks = found->kind == model::GridKind::block || found->kind == model::GridKind::indexed;
      if (found->dims == dims && found->shape == extents && in_blocks == local &&
          found->kind != model::GridKind::partial && as_declared && (names.empty() || names == dims))
        return static_cast<int>(found - declarations_.grids.data());
    }
    model::Grid grid;
    grid.name = std::string(diagnostic_grid) + diagnostic.name;
    grid.kind = local ? model::GridKind::block : model::GridKind::replicated;
    grid.dims = dims;
    grid.shape = extents;
    coordinates.add_coordinates(diagnostic.node, sources, grid);
    if (const auto wrong = names.empty() ? std::nullopt : name_dims(names, declarations_, grid))
      tell_unmet_dims(diagnostic, *wrong);
    analysis_->declarations.grids.push_back(std::move(grid));
    return static_cast<int>(analysis_->declarations.grids.size()) - 1;
  }

  // One line for all diagnostics of a kind.
  void tell_unmet_dims(const analytics::Diagnostic& diagnostic, const std::string& why) {
    std::string& line =
        ++unmet_dims_ == 1 ? analysis_->warnings.emplace_back() : analysis_->details.emplace_back();
    line = fmt::format("{}  diagnostics.{}.dims: {}; it keeps its own{}", diagnostic.location.text(),
                       diagnostic.name, why,
                       unmet_dims_ == 1 ? " (TAILRACE_LOG=info lists others like it)" : "");
  }

  const settings::Configuration& configuration_;
  const model::Declarations& declarations_;
  const model::FieldIndex index_;
  const model::Decomposition* decomposition_;
  const std::vector<NamedCoordinate>& named_;
  config::Problems& problems_;
  analytics::Scope scope_;
  std::vector<InputOrigin> origins_;           // of scope_.inputs
  std::set<std::string, std::less<>> absent_;  // optional fields that the model does not declare
  std::map<std::string, const model::Coordinate*> coordinates_;
  int unmet_dims_ = 0;
  std::map<int, model::Regions> contributions_;  // by partial grid: of each rank one slice along its ranks
  std::shared_ptr<Analysis> analysis_ = std::make_shared<Analysis>();
};

}  // namespace

std::shared_ptr<const Analysis> analyse(const settings::Configuration& configuration,
                                        const model::Declarations& declarations,
                                        const model::Decomposition* decomposition,
                                        const std::vector<NamedCoordinate>& named,
                                        config::Problems& problems) {
  if (configuration.diagnostics.empty() && point_requests(configuration).empty()) return nullptr;
  return Analyst(configuration, declarations, decomposition, named, problems).make();
}

// The first rank counts as the owner of a field that every rank has.
model::Regions whole_on_first(const model::Grid& grid, std::size_t ranks) {
  if (ranks == 0) return {};
  const std::vector<std::int64_t> zeros(grid.dims.size(), 0);
  std::vector<model::Region> regions{model::Region::of_box({zeros, grid.shape})};
  if (ranks > 1) regions.push_back(model::Region::of_box({zeros, zeros}));
  return {std::move(regions), ranks};
}

model::Decomposition with_diagnostics(const Analysis& analysis, const model::Decomposition& decomposition) {
  std::vector<Place> places;
  std::size_t parts = 0;
  for (const auto& input : analysis.inputs) places.push_back(input.place);
  for (const auto& regions : decomposition.regions) parts = std::max(parts, regions.size());
  const auto placement = analytics::make_placement(analysis.graph, places, 1, 0);
  const auto blocks = analytics::planning::find_blocks(analysis.graph, placement, analysis.inputs);
  model::Decomposition extended = decomposition;
  for (std::size_t d = 0; d < analysis.field_of_diagnostic.size(); ++d) {
    const int index = analysis.declarations.fields[base::index(analysis.field_of_diagnostic[d])].grid;
    if (base::index(index) < extended.regions.size()) continue;  // a grid of the model
    const int node = analysis.graph.diagnostics[d].node;
    if (placement.place[base::index(node)] == Place::local)
      extended.regions.push_back(blocks.of(node));
    else
      extended.regions.push_back(whole_on_first(analysis.declarations.grids[base::index(index)], parts));
  }
  return extended;
}

}  // namespace tailrace::plan
