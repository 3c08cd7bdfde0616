// The part of the icosahedral grid that a rank holds: its own vertices with rings of neighbours, in numbers
// of its own.
#pragma once

#include <mpi.h>

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

/// Brings values of the halo from their owners, in one message to each neighbour. begin, work that needs no
/// halo, end.
class Halo {
 public:
  /// The values are at edges, and at vertices or at cells. Collective over comm.
  Halo(const Part& part, bool cells, MPI_Comm comm);
  /// Starts the exchange; both arrays have local length and may not be changed until end.
  void begin(std::vector<double>& at_points, std::vector<double>& at_edges);
  void end();

 private:
  struct Neighbour {
    int rank = 0;
    std::vector<std::int32_t> points_out, edges_out, points_in, edges_in;  // local numbers
    std::vector<double> outgoing, incoming;
  };
  Neighbour& neighbour(int rank);

  MPI_Comm comm_;
  std::vector<Neighbour> neighbours_;
  std::vector<MPI_Request> requests_;
  std::vector<double>*points_ = nullptr, *edges_ = nullptr;
};

}  // namespace igcm::model
