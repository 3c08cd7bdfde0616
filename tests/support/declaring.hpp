// A grid of a scenario with its coordinates and mesh, as the model declares it.
#pragma once

#include "decomposition.hpp"
#include "scenario.hpp"

namespace player {

// `part`: the cells of this rank.
void declare_grid(tailrace::Session& session, const Grid& grid, const Part& part);

}  // namespace player
