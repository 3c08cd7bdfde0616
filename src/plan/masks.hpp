// The section `grids`: the mask of a grid, a fixed field, and its holes. Where the mask is zero or missing,
// or where no rank holds a cell, the values of all fields on the grid are missing, whatever the model put.
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
  settings::ListedName mask;  // empty name: no mask
  bool holes_are_missing = false;
  config::Location holes_location = {};
};

config::Section<std::vector<GridEntry>> grids_section();

// Marks the grids whose holes are missing, with the grids of their coordinates (Grid::holes_are_missing).
model::Declarations with_marked_holes(const settings::Configuration& configuration,
                                      model::Declarations declarations);

// Marks holes, and gives a fill value to each field on a grid with a mask or holes: its own, or netCDF's for
// its type. It is not NaN, so that NaNs that the model computed remain visible.
model::Declarations with_fill_values(const settings::Configuration& configuration,
                                     model::Declarations declarations);

// By grid, the index of the field that is its mask; -1: none. An entry that does not match the model's grids,
// or holes in a grid that can have none, is a problem; a mask that is an optional field which the model does
// not declare is a warning.
std::vector<int> masks_of(const settings::Configuration& configuration,
                          const model::Declarations& declarations, config::Problems& problems,
                          std::vector<std::string>& warnings);

}  // namespace tailrace::plan
