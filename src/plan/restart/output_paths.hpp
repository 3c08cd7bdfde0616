// The files of a plan by name, as far as they are known when a run begins.
#pragma once

#include <set>
#include <string>

#include "plan/plan.hpp"

namespace tailrace::plan {

struct OutputPaths {
  std::set<std::string> series;  // the paths of the entries with many files, with `{start}` and the like
  std::set<std::string> files;   // those of the other entries
};

// As the configuration has them: absolute, or relative to the directory of the run. Only those of formats
// that make files. `begin`: where the run begins.
OutputPaths output_paths(const Plan& plan, const model::Tick& begin);

}  // namespace tailrace::plan
