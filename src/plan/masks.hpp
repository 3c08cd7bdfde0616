// `grids:`, what holds for all fields of a grid: the mask, a fixed field that is zero or missing where
// nothing of them counts. Where the mask is zero their values are missing, whatever the model put there.
#pragma once

#include <string>
#include <vector>

#include "config/section.hpp"
#include "model/declarations.hpp"
#include "plan/plan.hpp"
#include "settings/configuration.hpp"
#include "settings/fields.hpp"

namespace tailrace::plan {

struct GridEntry {  // an entry under `grids:`
  std::string name;
  config::Location location;
  settings::ListedName mask;  // no name: none
};

config::Section<std::vector<GridEntry>> grids_section();

// The same declarations, where each field that a mask may leave cells out of has a fill value: its own, or
// else netCDF's of its type. (Not NaN, since what the model computed wrongly is to be seen.)
model::Declarations with_fill_values(const settings::Configuration& configuration,
                                     model::Declarations declarations);

// By grid, the index of the field that is its mask; -1: none. Adds a problem for each entry that does not fit
// the grids of the model, and a warning where an optional field that the model does not declare was to be
// one.
std::vector<int> masks_of(const settings::Configuration& configuration,
                          const model::Declarations& declarations, config::Problems& problems,
                          std::vector<std::string>& warnings);

}  // namespace tailrace::plan
