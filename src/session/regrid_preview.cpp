#include "session/regrid_preview.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/index.hpp"
#include "base/text_tree.hpp"
#include "env/file_system.hpp"
#include "plan/regridding.hpp"
#include "regrid/method.hpp"
#include "regrid/section.hpp"
#include "regrid/target_grid.hpp"
#include "server/regrid/weights_files.hpp"

namespace tailrace::session {

std::string preview_regridding(const settings::Configuration& configuration, const plan::Plan& plan) {
  if (!plan.regridding) return "";
  const std::string& cache = configuration.sections.get<regrid::Cache>().directory;
  std::vector<base::TextTree> lines;
  for (const plan::WeightsPlan& weights : plan.regridding->weights) {
    const model::Grid& grid = plan.regridding->declarations.grids[base::index(weights.source_grid)];
    const auto path = server::path_in_cache(*plan.regridding, weights, cache);
    const std::string state = !path                               ? "their cells are known when the ranks run"
                              : env::system_files().exists(*path) ? "cached as " + *path
                                                                  : "to be made as " + *path;
    const std::string how =
        weights.method == regrid::Method::file ? weights.weights : regrid::name_of(weights.method);
    lines.push_back(
        {fmt::format("grid \"{}\" to {}, {}: {}", grid.name, regrid::text_of(weights.target), how, state),
         {}});
  }
  return fmt::format("weights of regridding in {}\n", cache) + base::drawn(lines);
}

}  // namespace tailrace::session
