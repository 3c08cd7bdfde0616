// Tells for which source grids of regridding only the ranks have the places and corners of cells.
#pragma once

#include "model/declarations.hpp"
#include "plan/regridding.hpp"

namespace tailrace::plan {

// True if the ranks must send the geometry of the source cells: those of a mesh, or with coordinates for each
// cell that each rank gave for its own. The declarations tell the others.
bool needs_rank_geometry(const Regridding& regridding, const WeightsPlan& weights);

}  // namespace tailrace::plan
