// The geometry of this rank's cells of the grids that are regridded, for its server.
#pragma once

#include <vector>

#include "client/declarer.hpp"
#include "plan/plan.hpp"
#include "regrid/rank_cells.hpp"

namespace tailrace::session {

// One for all weights whose source cells only the ranks know (regrid::only_ranks_know_cells), and one for
// each such grid to which input is regridded. Centres and corners come from the coordinates that the rank
// gave, or from its faces of a mesh; the centre of a face without coordinates is the middle of its nodes.
// `agreed`: the declarations of all ranks. REQUIRES: the coordinates are settled.
std::vector<regrid::RankCells> cells_of_rank(const plan::Plan& plan, const model::Declarations& agreed,
                                             const client::Declarer& declarer);

}  // namespace tailrace::session
