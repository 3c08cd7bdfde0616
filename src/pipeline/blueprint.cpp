#include "pipeline/blueprint.hpp"

#include <utility>

#include "plan/analysis.hpp"

namespace tailrace::pipeline {

Blueprint::Blueprint(ComponentInfo given)
    : info(std::move(given)),
      plan(plan::make_plan(info.configuration, info.declarations, &info.decomposition)) {
  if (info.memory == 0) info.memory = info.configuration.servers.memory;
  if (plan.analysis) {
    info.decomposition = plan::with_diagnostics(*plan.analysis, info.decomposition);
    info.declarations = plan.analysis->declarations;
  }
  for (const plan::FilePlan& file : plan.files) {
    layouts.push_back(
        cf::make_layout(file, info.configuration, info.declarations, info.decomposition, info.history));
    layouts.back().dataset.if_exists = settings::if_exists(file.entry, info.begin.time);
  }
}

bool Blueprint::sends(int index, int client) const {
  const int grid = field(index).grid;
  if (info.declarations.grids[static_cast<std::size_t>(grid)].kind == model::GridKind::replicated)
    return client == 0;
  return region(grid, client).size() > 0;
}

}  // namespace tailrace::pipeline
