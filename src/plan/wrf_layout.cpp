#include "plan/wrf_layout.hpp"

#include <fmt/format.h>

#include <map>

#include "base/index.hpp"

namespace tailrace::plan::wrf {
namespace {

// Readers know dims by their names.
void check_dims(const DatasetPlan& file, const model::Declarations& declarations,
                config::Problems& problems) {
  struct First {
    std::int64_t extent;
    const std::string* variable;
  };
  std::map<std::string, First> known;
  for (const VariablePlan& variable : file.variables) {
    const int index = declarations.fields[base::index(variable.field)].grid;
    const model::Grid& grid = declarations.grids[base::index(index)];
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      const auto [first, is_new] = known.try_emplace(grid.dims[d], First{grid.shape[d], &variable.name});
      if (is_new || first->second.extent == grid.shape[d]) continue;
      problems.add(file.entry.layout_location, "output." + file.entry.path + ".layout",
                   fmt::format("the dimension \"{}\" of \"{}\" has {} cells, and that of \"{}\" has {}; "
                               "expected one extent for each name, so another name for one of them, such as "
                               "\"{}_stag\", or two files",
                               grid.dims[d], variable.name, grid.shape[d], *first->second.variable,
                               first->second.extent, grid.dims[d]));
      return;
    }
  }
}

std::string records_in_words(const AxisPlan& axis) {
  if (axis.kind == time::AxisKind::at_end) return "a record at the end of the run";
  return fmt::format("{} {}", time::is_windowed(axis.kind) ? "windows" : "instants", axis.every.sentence());
}

}  // namespace

void settle(DatasetPlan& file, const model::Declarations& declarations, const calendar::Calendar& calendar,
            config::Problems& problems) {
  const std::string path = "output." + file.entry.path + ".layout";
  if (!calendar.has_months())
    problems.add(file.entry.layout_location, path,
                 fmt::format("`{}` has dates, and the run has none; expected `model_time.start`", dates));
  for (AxisPlan& axis : file.axes) axis.dim = time_dim;
  if (file.axes.size() > 1)
    problems.add(
        file.entry.layout_location, path,
        fmt::format("the file has one dimension of time, `{}`, but {} and {}; expected records of one kind "
                    "and period for all variables, or a file for each",
                    time_dim, records_in_words(file.axes[0]), records_in_words(file.axes[1])));
  check_dims(file, declarations, problems);
}

}  // namespace tailrace::plan::wrf
