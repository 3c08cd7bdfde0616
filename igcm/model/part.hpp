// The part of the icosahedral grid that a rank holds: its own vertices with rings of neighbours, in numbers
// of its own.
#pragma once

#include <vector>

#include "grid.hpp"

namespace igcm::model {

/// Local numbers. Own vertices come first, in global order, then one ring of halo after the other; own edges
/// and cells come first too. An edge or a cell belongs to the rank of the vertex that owns it: vertex h the
/// cells 2h and 2h+1, and the edges 3h to 3h+2. Edges and cells are those with all ends among the local
/// vertices. Connectivity in `grid` is in local numbers, -1 for what is not here.
struct Part {
  grid::Grid grid;
  std::vector<std::int32_t> vertex_numbers, edge_numbers, cell_numbers;  ///< global numbers of the local ones
  std::int64_t own_vertices = 0, own_edges = 0, own_cells = 0;
  std::vector<std::int64_t>
      first_of_rank;  ///< global number of the first vertex of each rank, and behind them the end
};

/// Rank r of n gets the vertices from r / n of them on, along the Hilbert curve; the poles belong to the last
/// rank. `rings` of halo, at least 1. Local. Throws std::invalid_argument if there are more ranks than
/// vertices besides the poles.
Part make_part(const grid::Sphere& sphere, int rank, int ranks, int rings);

}  // namespace igcm::model
