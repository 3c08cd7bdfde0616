#include "plan/regridding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/index.hpp"
#include "regrid/method.hpp"
#include "regrid/needs.hpp"
#include "regrid/target_grid.hpp"
#include "time/accumulator.hpp"

namespace tailrace::plan {
namespace {

// The cells of one part: whole rows of a target with two dims, consecutive cells of others.
model::Region region_of(const TargetGrid& target, const model::Grid& grid, std::size_t part,
                        std::size_t parts) {
  const regrid::Share share = regrid::share_of(target.cells, target.unit, part, parts);
  const std::int64_t row = target.dims == 2 ? grid.shape[target.first_dim + 1] : 1;
  std::vector<model::Runs> runs;
  for (std::size_t d = 0; d < grid.shape.size(); ++d)
    runs.push_back(grid.shape[d] > 0 ? model::Runs{{0, grid.shape[d]}} : model::Runs{});
  runs[target.first_dim] = {};
  if (share.count > 0) runs[target.first_dim] = {{share.first / row, share.count / row}};
  return model::Region(std::move(runs));
}

bool has_children(const Regridding& all, const RegridPlan& regrid) {
  return std::ranges::any_of(all.regrids, [&](const RegridPlan& one) {
    return one.is_child && one.target_field == regrid.target_field;
  });
}

}  // namespace

model::Decomposition with_regridding(const Regridding& regridding,
                                     const model::Decomposition& decomposition) {
  model::Decomposition all = decomposition;
  const std::size_t ranks = decomposition.ranks();
  for (const TargetGrid& target : regridding.targets) {
    TAILRACE_ASSERT(base::index(target.grid) == all.regions.size(),
                    "targets are in the order of their grids");
    const model::Grid& grid = regridding.declarations.grids[base::index(target.grid)];
    model::Regions regions;
    for (std::size_t part = 0; part < ranks; ++part) regions.push_back(region_of(target, grid, part, ranks));
    const model::Region none{std::vector<model::Runs>(grid.shape.size())};
    for (std::size_t part = ranks; part < decomposition.parts(); ++part) regions.push_back(none);
    all.regions.push_back(std::move(regions));
  }
  return all;
}

int accumulated_field(const Plan& plan, const VariablePlan& variable) {
  if (variable.regrid < 0) return variable.field;
  const RegridPlan& regrid = plan.regridding->regrids[base::index(variable.regrid)];
  if (regrid.stage == Stage::coarsened || (variable.fraction_of >= 0 && regrid.stage == Stage::per_record))
    return -1;
  return regrid.stage == Stage::per_record ? regrid.source_field : variable.field;
}

std::string text_of(const Regridding& all, const RegridPlan& regrid) {
  const model::Field& made = all.declarations.fields[base::index(regrid.target_field)];
  const auto target = std::ranges::find(all.targets, made.grid, &TargetGrid::grid);
  std::string text = regrid::text_of(target->target);
  if (regrid.stage == Stage::coarsened) {
    constexpr const char* words[] = {"means", "maxima", "minima", "most frequent values"};  // by Coarsening
    text += fmt::format(", {} of four cells", words[static_cast<int>(regrid.coarsening)]);
  } else {
    text += regrid.rule.method == regrid::Method::file
                ? fmt::format(", weights of {}", all.weights[base::index(regrid.weights)].weights)
                : ", " + regrid::name_of(regrid.rule.method);
  }
  text += fmt::format(" (coverage {}, {})", regrid.rule.coverage, regrid::name_of(regrid.rule.normalisation));
  for (const RegridPlan& one : all.regrids)
    if (one.is_child && one.target_field == regrid.target_field)
      text += fmt::format(", {} over it", all.declarations.fields[base::index(one.source_field)].name);
  if (const auto* to = std::get_if<regrid::LatLon>(&target->target))
    text += fmt::format("; cells from {}, {} to {}, {}", to->lat.front(), to->lon.front(), to->lat.back(),
                        to->lon.back());
  return text;
}

std::string reason_of(const Plan& plan, const VariablePlan& variable) {
  const RegridPlan& regrid = plan.regridding->regrids[base::index(variable.regrid)];
  if (regrid.stage == Stage::coarsened) return "each record of the next finer level";
  const std::string_view operation = time::name_of(variable.reduction);
  const model::Field& source = plan.regridding->declarations.fields[base::index(regrid.source_field)];
  if (regrid.stage == Stage::per_record) {
    if (!time::needs_window(variable.reduction)) return "each record: a record is one sample";
    if (regrid.rule.method == regrid::Method::nearest) return "each record: it takes the value of one cell";
    return fmt::format("each record: {} and weights may change places, {}", operation,
                       source.fill_value ? "and the mask does not change" : "and no value is missing");
  }
  if (has_children(*plan.regridding, regrid)) return "each sample: fields of children are merged";
  if (regrid.rule.method == regrid::Method::largest_area) return "each sample: classes have no mean";
  const bool is_sum =
      variable.reduction == time::ReductionKind::mean || variable.reduction == time::ReductionKind::sum;
  return is_sum ? "each sample: missing values may change"
                : fmt::format("each sample: {} and weights cannot change places", operation);
}

std::vector<int> sources_of(const Plan& plan, int field) {
  std::vector<int> sources;
  if (plan.regridding)
    for (const RegridPlan& regrid : plan.regridding->regrids) {
      if (regrid.target_field != field && (regrid.fraction_field != field || field < 0)) continue;
      for (const int source : sources_of(plan, regrid.source_field)) sources.push_back(source);
    }
  if (sources.empty()) sources.push_back(field);
  return sources;
}

}  // namespace tailrace::plan
