#include "plan/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "input/levels_dim.hpp"
#include "input/options.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::plan {
namespace {

std::string path_of(const input::Entry& entry, const input::FieldRequest& request) {
  return fmt::format("input.{}.fields.{}", entry.name, request.name);
}

std::vector<std::string> provided_names(const input::Options& options) {
  std::vector<std::string> names;
  for (const input::Entry& entry : options.entries)
    for (const input::FieldRequest& request : entry.fields) names.push_back(request.name);
  return names;
}

class InputPlanner {
 public:
  InputPlanner(const input::Options& options, const model::Declarations& declarations, Plan& plan,
               config::Problems& problems)
      : options_(options), declarations_(declarations), plan_(plan), problems_(problems) {}

  void plan() {
    for (const input::Entry& entry : options_.entries)
      for (const input::FieldRequest& request : entry.fields) provide(entry, request);
    std::ranges::sort(plan_.inputs, {}, &InputPlan::field);
    for (const model::Field& field : declarations_.fields)
      if (field.is_input && !field.is_optional && options_.find(field.name) == nullptr) tell_missing(field);
  }

 private:
  void provide(const input::Entry& entry, const input::FieldRequest& request) {
    const auto field = declarations_.find_field(request.name);
    if (!field || !declarations_.fields[base::index(*field)].is_input) {
      if (request.grid.empty()) tell_unasked(entry, request, field);
      return;
    }
    InputPlan planned{.field = *field, .records_ahead = entry.lead_records};
    planned.is_regridded = request.regrid.has_value();
    if (planned.is_regridded) check_grid(entry, request, declarations_.fields[base::index(*field)].grid);
    if (request.vertical) {
      const model::Field& declared = declarations_.fields[base::index(*field)];
      planned.levels_dim = levels_dim(entry, request, declared);
      planned.needs = needed_by(entry, request, declared);
      if (planned.needs) refuse_copy(entry, request);
    }
    plan_.inputs.push_back(planned);
  }

  void check_grid(const input::Entry& entry, const input::FieldRequest& request, int grid) {
    try {
      // Bounds along one dim each are halfway between the centres where there are none, so none are asked
      // for.
      regrid::horizontal_dims(declarations_, grid, regrid::Method::nearest);
    } catch (const Error& error) {
      problems_.add(request.location, path_of(entry, request) + ".regrid", error.what());
    }
  }

  int levels_dim(const input::Entry& entry, const input::FieldRequest& request, const model::Field& field) {
    try {
      return input::levels_dim(declarations_.grids[base::index(field.grid)], request.vertical->to);
    } catch (const Error& error) {
      problems_.add(request.location, path_of(entry, request) + ".vertical", error.what());
      return -1;
    }
  }

  // The field of the model that a vertical interpolation needs at each step, if any.
  std::optional<int> needed_by(const input::Entry& entry, const input::FieldRequest& request,
                               const model::Field& field) {
    const model::Grid& grid = declarations_.grids[base::index(field.grid)];
    const std::string& to = request.vertical->to;
    std::vector<std::string> known;
    for (const model::Coordinate& coordinate : grid.coordinates) known.push_back(coordinate.name);
    if (std::ranges::count(known, to) > 0) return std::nullopt;
    for (std::size_t f = 0; f < declarations_.fields.size(); ++f) {
      const model::Field& other = declarations_.fields[f];
      if (!other.is_put() || other.grid != field.grid || model::is_integer(other.type)) continue;
      if (other.name == to) return static_cast<int>(f);
      known.push_back(other.name);
    }
    problems_.add(
        request.location, path_of(entry, request) + ".vertical.to",
        fmt::format("expected a coordinate of grid \"{}\" or a field of real numbers that the model "
                    "puts on it, but there is no \"{}\".{}",
                    grid.name, to, base::name_hint(to, known)));
    return std::nullopt;
  }

  // A copy is put as a step begins, before the model has put the levels of that step.
  void refuse_copy(const input::Entry& entry, const input::FieldRequest& request) {
    const std::string copy = std::string(input::name_space) + request.name;
    if (declarations_.find_field(copy))
      problems_.add(
          request.location, path_of(entry, request) + ".vertical.to",
          fmt::format("\"{}\" is listed under `fields`, so it is needed as a step begins, but its "
                      "levels are those of \"{}\", which the model puts later; expected a coordinate "
                      "of the grid",
                      copy, request.vertical->to));
  }

  void tell_missing(const model::Field& field) {
    const std::string what =
        fmt::format("the model needs the input \"{}\", and no entry of `input` provides it.{}", field.name,
                    options_.entries.empty() ? " There is none at all."
                                             : base::name_hint(field.name, provided_names(options_)));
    const bool is_there = !options_.entries.empty();
    problems_.add(is_there ? options_.entries.front().location : config::Location{}, "input", what);
  }

  void tell_unasked(const input::Entry& entry, const input::FieldRequest& request,
                    std::optional<int> put_by_model) {
    if (put_by_model) {
      problems_.add(
          request.location, path_of(entry, request),
          fmt::format("\"{0}\" is a field that the model puts; expected one of its inputs", request.name));
      return;
    }
    const auto near = base::nearest_name(request.name, declarations_.input_names());
    plan_.warnings.push_back(fmt::format("{}  {}: the model declares no input \"{}\", so it is not read.{}",
                                         request.location.text(), path_of(entry, request), request.name,
                                         near ? fmt::format(" Did you mean \"{}\"?", *near) : ""));
  }

  const input::Options& options_;
  const model::Declarations& declarations_;
  Plan& plan_;
  config::Problems& problems_;
};

}  // namespace

void plan_inputs(const settings::Configuration& configuration, const model::Declarations& declarations,
                 Plan& plan, config::Problems& problems) {
  const auto* given = configuration.sections.find<input::Options>();
  const input::Options none;
  InputPlanner(given == nullptr ? none : *given, declarations, plan, problems).plan();
}

std::vector<int> input_grids_of_ranks(const Plan& plan, const model::Declarations& declarations) {
  std::set<int> grids;
  for (const InputPlan& one : plan.inputs) {
    const int grid = declarations.fields[base::index(one.field)].grid;
    if (one.is_regridded && regrid::only_ranks_know_cells(declarations.grids[base::index(grid)]))
      grids.insert(grid);
  }
  return {grids.begin(), grids.end()};
}

}  // namespace tailrace::plan
