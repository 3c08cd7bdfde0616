#include "plan/restart/output_paths.hpp"

#include "plan/series_clock.hpp"

namespace tailrace::plan {

OutputPaths output_paths(const Plan& plan, const model::Tick& begin) {
  OutputPaths paths;
  for (const DatasetPlan& file : plan.files) {
    if (!file.entry.writer()->makes_files()) continue;
    if (file.entry.has_many_files())
      paths.series.insert(file.entry.path);
    else
      paths.files.insert(first_path(file, plan.calendar, begin));
  }
  return paths;
}

}  // namespace tailrace::plan
