// Cells that no rank holds, such as those of land processors that a model leaves out.
//
// They become further parts of the decomposition, each of a rank that holds cells of the grid: whenever that
// rank puts a field, its server adds blocks of fill values for these parts. So whatever treats missing values
// (files, windows, diagnostics, checkpoints) treats holes too, and nothing else knows of them.
#pragma once

#include <vector>

#include "model/declarations.hpp"

namespace tailrace::model {

// The cells of a box of that shape which none of the boxes holds, as disjoint boxes in C order. Sweeps over
// the boxes, never over cells. REQUIRES: the boxes lie inside and do not overlap.
std::vector<Box> cells_outside(const std::vector<std::int64_t>& shape, const std::vector<Box>& boxes);

// Adds the cells that no rank holds of each grid with `holes_are_missing`. Grids whose holes are the same in
// the dimensions that are split share the parts, so that their fields can be combined. REQUIRES: check_cover.
Decomposition with_holes(const Declarations& declarations, Decomposition decomposition);

}  // namespace tailrace::model
