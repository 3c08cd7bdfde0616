#include "plan/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "points/plane.hpp"
#include "points/reduction.hpp"
#include "points/station_cells.hpp"
#include "points/trajectory_cells.hpp"

namespace tailrace::plan {
namespace {

using analytics::Reduction;
using settings::OutputEntry;
using settings::VariableEntry;

points::Request request_of(const OutputEntry& file) {
  return {file.path, file.stations ? &*file.stations : nullptr,
          file.trajectories ? &*file.trajectories : nullptr};
}

// A field or diagnostic that is sampled, as the graph has it.
struct Source {
  int field = -1;
  int node = -1;
  std::vector<int> inputs;
  bool may_miss = false;
};

class Sampler {
 public:
  Sampler(const settings::Configuration& configuration, const std::vector<analytics::Input>& inputs,
          const CoordinateInput& input_of, Analysis& analysis, config::Problems& problems)
      : configuration_(configuration),
        inputs_(inputs),
        input_of_(input_of),
        analysis_(analysis),
        problems_(problems) {}

  std::vector<SampledField> sample() {
    for (const OutputEntry& file : configuration_.files)
      if (file.points() != nullptr) sample(file);
    return std::move(sampled_);
  }

 private:
  // Grids whose cells are in the same places share a reduction.
  struct Known {
    const OutputEntry* file;
    const model::Grid* grid;
    points::Plane plane;
    const model::Coordinate* level;
    std::shared_ptr<const Reduction> op;  // null: there was a problem
  };

  void sample(const OutputEntry& file) {
    bool any = false;
    std::set<int> done;
    const std::size_t before = sampled_.size();
    for (const VariableEntry& variable : file.variables)
      for (const std::string& name : settings::fields_of(variable, configuration_)) {
        const auto source = source_of(name);
        any = any || source;
        if (source && done.insert(source->field).second) sample(file, variable, *source);
      }
    if (any && sampled_.size() == before && problems_.empty())
      problems_.add(file.points()->location, file.points()->config_path,
                    fmt::format("none of the variables of this file has cells in a plane where {} could lie",
                                request_of(file).kind()));
  }

  void sample(const OutputEntry& file, const VariableEntry& variable, Source source) {
    const model::Field& field = analysis_.declarations.fields[base::index(source.field)];
    const model::Grid& grid = analysis_.declarations.grids[base::index(field.grid)];
    if (grid.kind == model::GridKind::partial) return;  // every dataset refuses it
    const auto plane = points::plane_of(grid, file.points()->coordinates);
    if (!plane) return points::may_have_plane(grid) ? refuse_grid(file, field, grid) : void();
    if (const auto why = wrong_time(source))
      return problems_.add(variable.location, variable.config_path,
                           fmt::format("\"{}\" {}; files with {} cannot hold it yet in this version, "
                                       "so write it to another file",
                                       field.name, *why, request_of(file).kind()));
    const model::Coordinate* level =
        file.trajectories ? points::level_of(*file.trajectories, grid, *plane, problems_) : nullptr;
    const auto op = operator_for(file, grid, *plane, level);
    if (!op) return;
    if (source.node < 0) source.node = input_node(source.inputs.front());
    analytics::Call call;
    call.dims = points::dims_of(grid, *plane, level);
    std::vector<int> args{source.node};
    if (file.trajectories && !plane->by_dim)
      for (const model::Coordinate* coordinate : plane->at) {
        const int input = input_of_(grid, *coordinate);
        args.push_back(input_node(input));
        if (std::ranges::count(source.inputs, input) == 0) source.inputs.push_back(input);
      }
    std::ranges::sort(source.inputs);
    for (const int arg : args) call.arguments.push_back(analysis_.graph.nodes[base::index(arg)].shape);
    analytics::Shape shape;
    try {
      shape = op->infer(call);
    } catch (const analytics::CallProblem& problem) {
      return problems_.add(variable.location, variable.config_path, problem.what());
    }
    if (file.trajectories) source.may_miss = true;
    add(file, variable, source,
        analytics::operator_node(*op, fmt::format("the {} of {}", request_of(file).kind(), file.path),
                                 std::move(call), std::move(args), std::move(shape)));
    if (file.trajectories) describe_places(file, *plane, level);
  }

  // Describes the coordinates along trajectories in the file.
  void describe_places(const OutputEntry& file, const points::Plane& plane, const model::Coordinate* level) {
    std::vector<model::Coordinate>& places = analysis_.places[file.path];
    const std::array sources{plane.at[0], plane.at[1], level};
    for (std::size_t i = places.size(); i < sources.size() && sources[i] != nullptr; ++i) {
      const model::Coordinate& source = *sources[i];
      model::Coordinate& added = places.emplace_back();
      added.name = source.name;
      added.units = source.units;
      added.standard_name = source.standard_name;
      added.long_name = source.long_name;
      if (const std::string positive = model::text_of(source.attributes, "positive"); !positive.empty())
        added.attributes["positive"] = positive;
    }
  }

  void add(const OutputEntry& file, const VariableEntry& variable, const Source& source,
           analytics::Node node) {
    const model::Field& field = analysis_.declarations.fields[base::index(source.field)];
    analytics::Graph& graph = analysis_.graph;
    sampled_.push_back({&file, source.field, static_cast<int>(graph.diagnostics.size())});
    const char* const where = file.stations ? "at the stations of" : "along the trajectories of";
    graph.diagnostics.push_back({.name = fmt::format("{} {} {}", field.name, where, file.path),
                                 .location = variable.location,
                                 .text = fmt::format("{} {} {}", field.name, where, file.path),
                                 .node = graph.add(std::move(node)),
                                 .units = field.units,
                                 .long_name = field.long_name,
                                 .standard_name = field.standard_name,
                                 .inputs = source.inputs,
                                 .may_miss = source.may_miss});
  }

  std::optional<Source> source_of(const std::string& name) const {
    const analytics::Graph& graph = analysis_.graph;
    for (std::size_t d = 0; d < analysis_.field_of_diagnostic.size(); ++d)
      if (const analytics::Diagnostic& one = graph.diagnostics[d]; one.name == name)
        return Source{analysis_.field_of_diagnostic[d], one.node, one.inputs, one.may_miss};
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].name == name && analysis_.field_of_input[i] >= 0)
        return Source{analysis_.field_of_input[i], -1, {static_cast<int>(i)}, inputs_[i].may_miss};
    return std::nullopt;
  }

  int input_node(int input) {
    const std::vector<analytics::Node>& nodes = analysis_.graph.nodes;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (nodes[n].kind == analytics::NodeKind::input && nodes[n].input == input) return static_cast<int>(n);
    return analysis_.graph.add(
        analytics::input_node(input, inputs_[base::index(input)].name, inputs_[base::index(input)].shape));
  }

  // Why the field has no value at each step; none if it has.
  std::optional<std::string> wrong_time(const Source& source) const {
    if (std::ranges::all_of(source.inputs, [&](int i) { return analysis_.inputs[base::index(i)].fixed; }))
      return "is put only once";
    const std::string& name = analysis_.declarations.fields[base::index(source.field)].name;
    for (const settings::FieldGroup& group : configuration_.field_groups)
      if (group.every.is_never() && std::ranges::count(group.fields, name, &settings::ListedName::name) > 0 &&
          !group.once)
        return "is sent only at the end of the run";
    return std::nullopt;
  }

  void refuse_grid(const OutputEntry& file, const model::Field& field, const model::Grid& grid) {
    const points::PointSet& stations = *file.points();
    std::vector<std::string> names;
    for (const model::Coordinate& one : grid.coordinates) names.push_back(one.name);
    for (const std::string& wanted : stations.coordinates) {
      if (points::plane_of(grid, {wanted, wanted})) continue;
      const bool known = std::ranges::any_of(names, [&](const std::string& name) { return name == wanted; });
      if (known) continue;
      return problems_.add(
          stations.location, stations.config_path,
          fmt::format("grid \"{}\", on which \"{}\" lies, has no coordinate \"{}\".{}", grid.name, field.name,
                      wanted, names.empty() ? " (it has none)" : base::name_hint(wanted, names)));
    }
    problems_.add(
        stations.location, stations.config_path,
        fmt::format("\"{}\" and \"{}\" do not say where the cells of grid \"{}\", on which \"{}\" lies, are: "
                    "expected each along a dimension of its own, or both along the same ones",
                    stations.coordinates[0], stations.coordinates[1], grid.name, field.name));
  }

  std::shared_ptr<const Reduction> operator_for(const OutputEntry& file, const model::Grid& grid,
                                                const points::Plane& plane, const model::Coordinate* level) {
    const auto same = [](const model::Coordinate* a, const model::Coordinate* b) {
      if (a == nullptr || b == nullptr) return a == b;
      return a->dims == b->dims && a->values == b->values && a->bounds == b->bounds && a->field == b->field;
    };
    for (const Known& known : known_)
      if (known.file == &file && same(known.plane.at[0], plane.at[0]) &&
          same(known.plane.at[1], plane.at[1]) && same(known.level, level))
        return known.op;
    std::shared_ptr<const Reduction> op;
    if (file.trajectories)
      op = points::reduction_of({{request_of(file), &grid, plane}, level}, analysis_.declarations,
                                analysis_.warnings, problems_);
    else if (auto cells =
                 points::cells_of({request_of(file), &grid, plane}, analysis_.declarations, problems_))
      op = points::make_reduction(std::move(*cells));
    known_.push_back({&file, &grid, plane, level, op});
    if (op) analysis_.graph.operators[fmt::format("{} at {}, {}", file.path, grid.name, known_.size())] = op;
    return op;
  }

  const settings::Configuration& configuration_;
  const std::vector<analytics::Input>& inputs_;
  const CoordinateInput& input_of_;
  Analysis& analysis_;
  config::Problems& problems_;
  std::vector<Known> known_;
  std::vector<SampledField> sampled_;
};

}  // namespace

std::vector<points::Request> point_requests(const settings::Configuration& configuration) {
  std::vector<points::Request> requests;
  for (const OutputEntry& file : configuration.files)
    if (file.points() != nullptr) requests.push_back(request_of(file));
  return requests;
}

std::vector<SampledField> sample_fields(const settings::Configuration& configuration,
                                        const std::vector<analytics::Input>& inputs,
                                        const CoordinateInput& input_of, Analysis& analysis,
                                        config::Problems& problems) {
  return Sampler(configuration, inputs, input_of, analysis, problems).sample();
}

model::Field field_of(const SampledField& sampled, const Analysis& analysis) {
  model::Field field = analysis.declarations.fields[base::index(sampled.field)];
  const analytics::Diagnostic& diagnostic = analysis.graph.diagnostics[base::index(sampled.diagnostic)];
  field.name = diagnostic.name;
  field.type = model::DataType::float64;
  field.fill_value.reset();
  if (diagnostic.may_miss) field.fill_value = std::numeric_limits<double>::quiet_NaN();
  if (field.long_name.empty() && field.standard_name.empty())
    field.long_name = analysis.declarations.fields[base::index(sampled.field)].name;
  return field;
}

void add_coordinates(const SampledField& sampled, const Analysis& analysis, model::Grid& grid) {
  const model::Field& field = analysis.declarations.fields[base::index(sampled.field)];
  const model::Grid& from = analysis.declarations.grids[base::index(field.grid)];
  const points::Plane plane = *points::plane_of(from, sampled.file->points()->coordinates);
  // Latitudes and longitudes need no grid mapping; other coordinates do.
  if (plane.longitude < 0 && from.mapping) grid.mapping = from.mapping;
  if (!sampled.file->stations) return;  // positions that change with time do not belong to the grid
  const points::Stations& stations = *sampled.file->stations;
  for (std::size_t i = 0; i < 2; ++i) {
    const model::Coordinate& source = *plane.at[i];
    model::Coordinate& added = grid.coordinates.emplace_back();
    added.name = source.name;
    added.dims = {points::station_dim};
    added.units = source.units;
    added.standard_name = source.standard_name;
    added.long_name = source.long_name;
    for (const points::Station& station : stations.points) added.values.push_back(station.at[i]);
  }
  if (stations.points.front().altitude) {
    model::Coordinate& altitude = grid.coordinates.emplace_back();
    altitude.name = "alt";
    altitude.dims = {points::station_dim};
    altitude.units = "m";
    altitude.standard_name = "altitude";
    altitude.attributes = {{"positive", std::string("up")}};
    for (const points::Station& station : stations.points) altitude.values.push_back(*station.altitude);
  }
}

}  // namespace tailrace::plan
