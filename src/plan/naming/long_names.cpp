#include "plan/naming/long_names.hpp"

#include <fmt/format.h>

#include "base/index.hpp"
#include "base/utf8.hpp"
#include "output/format.hpp"

namespace tailrace::plan {

void refuse_long_names(const DatasetPlan& file, const model::Declarations& declarations,
                       const std::map<std::string, config::Location>& names, config::Problems& problems) {
  const output::Format& format = *file.entry.writer();
  const std::size_t limit = format.longest_name();
  std::map<std::string, config::Location> all = names;
  const auto add = [&](const std::string& name) { all.try_emplace(name, file.entry.location); };
  for (const AxisPlan& axis : file.axes) add(axis.dim + "_bnds");
  for (const VariablePlan& variable : file.variables) {
    const model::Field& field = declarations.fields[base::index(variable.field)];
    const model::Grid& grid = declarations.grids[base::index(field.grid)];
    for (const model::Coordinate& coordinate : grid.coordinates) {
      const bool has_bounds = coordinate.bounds_field || !coordinate.bounds.empty();
      add(coordinate.name + (has_bounds ? "_bnds" : ""));
    }
    if (grid.mesh) add(grid.mesh->name + "_face_nodes");
  }
  for (const auto& [name, where] : all)
    if (name.size() > limit)
      problems.add(
          where, "output." + file.entry.path,
          fmt::format("the name \"{}\" has {} bytes, but a variable of format \"{}\" can have {}; give it a "
                      "shorter one",
                      base::quotable(name), name.size(), format.name(), limit));
}

}  // namespace tailrace::plan
