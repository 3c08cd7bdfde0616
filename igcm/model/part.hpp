// The part of the hexagonal grid that a rank holds: its own vertices with two rings of neighbours, in numbers
// of its own.
#pragma once

#include <mpi.h>

#include <vector>

#include "grid.hpp"

namespace igcm::model {

/// Local numbers. Own vertices come first, in global order, then the vertices of the first ring of halo, then
/// those of the second; own edges come first too. An edge belongs to the rank of the vertex that owns it.
/// Cells (the corners of hexagons) are those with all corners among the local vertices. Connectivity in
/// `grid` is in local numbers, -1 for what is not here.
struct Part {
  grid::Grid grid;
  std::vector<std::int32_t> vertex_numbers, edge_numbers, cell_numbers;  ///< global numbers of the local ones
  std::int64_t own_vertices = 0, own_edges = 0;
  std::int64_t near_vertices = 0;  ///< own ones and the first ring: all edges and cells around them are local
  std::vector<std::int64_t>
      first_of_rank;  ///< global number of the first vertex of each rank, and behind them the end

  /// Cells that this rank counts for and puts, in local numbers and global order: those of its own vertices,
  /// as each vertex h owns the cells 2h and 2h+1.
  std::vector<std::int32_t> own_cells;
};

/// Rank r of n gets the vertices from r / n of them on, along the Hilbert curve; the poles belong to the last
/// rank. Local. Throws std::invalid_argument if there are more ranks than vertices besides the poles.
Part make_part(const grid::Sphere& sphere, int rank, int ranks);

/// Brings values of the halo from their owners, in one message to each neighbour. begin, work that needs no
/// halo, end.
class Halo {
 public:
  /// Collective over comm.
  Halo(const Part& part, MPI_Comm comm);
  /// Starts the exchange of values at vertices and edges; both arrays have local length and may not be
  /// changed until end.
  void begin(std::vector<double>& at_vertices, std::vector<double>& at_edges);
  void end();

 private:
  struct Neighbour {
    int rank = 0;
    std::vector<std::int32_t> vertices_out, edges_out, vertices_in, edges_in;  // local numbers
    std::vector<double> outgoing, incoming;
  };
  Neighbour& neighbour(int rank);

  MPI_Comm comm_;
  std::vector<Neighbour> neighbours_;
  std::vector<MPI_Request> requests_;
  std::vector<double>*vertices_ = nullptr, *edges_ = nullptr;
};

}  // namespace igcm::model
