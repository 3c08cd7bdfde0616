// The geometry of this rank's cells of the grids that are regridded, for its server.
#pragma once

#include <vector>

#include "client/declarer.hpp"
#include "plan/regridding.hpp"
#include "regrid/rank_cells.hpp"

namespace tailrace::session {

// One for all weights whose source cells only the ranks know (plan::needs_rank_geometry). Centres and corners
// come from the coordinates that the rank gave, or from its faces of a mesh; the centre of a face without
// coordinates is the middle of its nodes. REQUIRES: the coordinates are settled.
std::vector<regrid::RankCells> source_cells_of(const plan::Regridding& regridding,
                                               const client::Declarer& declarer);

}  // namespace tailrace::session
