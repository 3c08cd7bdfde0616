#include "pipeline/regridding/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/index.hpp"
#include "plan/analysis.hpp"
#include "plan/vectors.hpp"

namespace tailrace::pipeline::regridding {
namespace {

using sampling::OutputVariable;
using sampling::Regridded;

std::int64_t inner_of(const Blueprint& blueprint, int target_field) {
  const int number = blueprint.field(target_field).grid;
  const model::Grid& grid = blueprint.info.declarations.grids[base::index(number)];
  std::int64_t inner = 1;
  for (const plan::TargetGrid& target : blueprint.plan.regridding->targets)
    if (target.grid == number)
      for (std::size_t d = target.first_dim + target.dims; d < grid.shape.size(); ++d) inner *= grid.shape[d];
  return inner;
}

std::int64_t component_step(const Blueprint& blueprint, const plan::RegridPlan& plan,
                            const CellExchange& cells) {
  const int number = blueprint.field(plan.source_field).grid;
  const model::Grid& grid = blueprint.info.declarations.grids[base::index(number)];
  std::int64_t step = 1;
  for (const std::size_t dim : cells.dims().others | std::views::reverse) {
    if (grid.dims[dim] == plan::vector_dim) return step;
    step *= grid.shape[dim];
  }
  TAILRACE_ASSERT(false, "a vector has a dim of its components");
  return 0;
}

int regrid_of(const Blueprint& blueprint, const OutputVariable& output_variable) {
  const int planned = blueprint.layouts[output_variable.file].variables[output_variable.variable].plan;
  return blueprint.plan.files[output_variable.file].variables[base::index(planned)].regrid;
}

std::string name_of(const Blueprint& blueprint, const OutputVariable& output_variable) {
  const plan::DatasetPlan& file = blueprint.plan.files[output_variable.file];
  const int planned = blueprint.layouts[output_variable.file].variables[output_variable.variable].plan;
  return fmt::format("\"{}\" of {}", file.variables[base::index(planned)].name, file.entry.path);
}

}  // namespace

std::vector<std::string> horizontal_names(const model::Declarations& declarations,
                                          const plan::WeightsPlan& weights) {
  const model::Grid& grid = declarations.grids[base::index(weights.source_grid)];
  std::vector<std::string> names;
  for (const std::size_t dim : weights.source.dims) names.push_back(grid.dims[dim]);
  return names;
}

Exchanges::Exchanges(const Blueprint& blueprint, sampling::OutputVariables& output_variables,
                     const std::vector<Weights>& weights)
    : of_field(blueprint.info.declarations.fields.size()) {
  const plan::Regridding& regridding = *blueprint.plan.regridding;
  TAILRACE_ASSERT(weights.size() == regridding.weights.size(), "the weights of the plan are given");
  const auto add = [&](const plan::RegridPlan& plan) -> Exchange& {
    const int grid = blueprint.field(plan.source_field).grid;
    auto& shared = cells[{plan.weights, grid}];
    const plan::WeightsPlan& of = regridding.weights[base::index(plan.weights)];
    if (!shared)
      shared =
          std::make_unique<CellExchange>(blueprint, weights[base::index(plan.weights)], plan.source_field,
                                         horizontal_names(blueprint.info.declarations, of));
    Exchange& exchange = all.emplace_back();
    exchange.plan = &plan;
    exchange.weights = &weights[base::index(plan.weights)];
    exchange.cells = shared.get();
    exchange.may_lack = blueprint.field(plan.source_field).fill_value.has_value();
    exchange.inner = inner_of(blueprint, plan.target_field);
    if (plan.projection != plan::Projection::none)
      exchange.component_step = component_step(blueprint, plan, *shared);
    const auto& analysis = blueprint.plan.analysis;
    exchange.is_computed =
        analysis && std::ranges::count(analysis->field_of_diagnostic, plan.source_field) > 0;
    return exchange;
  };
  std::map<int, std::size_t> parents;  // by field on the target
  for (const plan::RegridPlan& plan : regridding.regrids) {
    if (plan.stage != plan::Stage::per_sample) continue;
    const auto& variables = output_variables.of_field(plan.target_field);
    if (variables.empty()) continue;
    Exchange& exchange = add(plan);
    if (plan.is_child)
      all[parents.at(plan.target_field)].children.push_back(all.size() - 1);
    else
      parents[plan.target_field] = all.size() - 1;
    exchange.variables = variables;
    if (plan.fraction_field >= 0) exchange.fractions = output_variables.of_field(plan.fraction_field);
    const model::Field& source = blueprint.field(plan.source_field);
    exchange.conversion = {source.type, variables.front()->input, source.fill_value,
                           variables.front()->missing->fill};
    exchange.name = name_of(blueprint, *variables.front());
    if (plan.is_child) exchange.name += fmt::format(" from \"{}\"", source.name);
    of_field[base::index(plan.source_field)].push_back(all.size() - 1);
  }
  for (const auto& output_variable : output_variables.all()) {
    if (output_variable->regridded != Regridded::per_record) continue;
    Exchange& exchange = add(regridding.regrids[base::index(regrid_of(blueprint, *output_variable))]);
    exchange.variable = output_variable.get();
    const time::Stored& made = output_variable->record_type;
    exchange.conversion = {made.type, made.type, std::nullopt, made.fill};
    exchange.name = name_of(blueprint, *output_variable);
    of_variable[output_variable->number] = all.size() - 1;
  }
}

}  // namespace tailrace::pipeline::regridding
