#include "plan/regridding.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "regrid/needs.hpp"

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
  return regrid.stage == Stage::per_record ? regrid.source_field : variable.field;
}

}  // namespace tailrace::plan
