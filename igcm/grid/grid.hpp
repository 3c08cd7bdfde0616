// The grid of the sphere as arrays: triangles with edges and vertices (ICON's C grid) and, on the same
// points, hexagons and pentagons (DYNAMICO's C grid, NICAM's A grid).
//
// One set of names serves all three. Those of connectivity are ICON's (Zaengl et al. 2015): a *cell* is a
// triangle, a *vertex* is a point of the icosahedral grid and the centre of a hexagon (of 12 pentagons), an
// *edge* is crossed by a *dual edge*, the wall between two hexagons. In the words of the others:
//
//   here                     DYNAMICO (Dubos et al. 2015)       NICAM (Tomita and Satoh 2004)
//   vertex                   cell (T points)                    grid point P
//   cell                     vertex (Z points: up, down)        triangle TI (even numbers), TJ (odd)
//   edge                     edge (U points)                    arc AI, AIJ, AJ (numbers 3h, 3h+1, 3h+2)
//   edge_length              de                                 |TN|
//   dual_edge_length         le                                 |HN|
//   dual_area                Ai                                 GMTR_p area
//   cell_area                Av                                 GMTR_t area
//   kite_area / cell_area    Riv2
//   edge_orientation         ne
//   dual_normal              stored normal of u                 direction of TT and HN
//
// Numbers of entities are global and count from 0; -1 is none. They follow a Hilbert curve (numbering.hpp): a
// consecutive range of vertices h, with the cells 2h, 2h+1 and the edges 3h, 3h+1, 3h+2, is a compact patch.
// The two poles are the last vertices. "Left" and "counter-clockwise" are as seen from outside.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "numbering.hpp"
#include "points.hpp"
#include "vec3.hpp"

namespace igcm::grid {

enum class Centre {
  circumcentre,  ///< edges and dual edges are orthogonal (Voronoi): ICON, DYNAMICO
  centroid       ///< NICAM
};

struct GridOptions {
  PointOptions points;
  Centre centre = Centre::circumcentre;
  double radius = 6.37122e6;  ///< of the sphere, in m
};

/// Arrays of a range of the grid. Those of cells have an entry for each of the cells first_cell ..., and so
/// on; positions and normals are vectors of length 1, lengths are in m, areas in m2 of the sphere with
/// `radius`.
struct Grid {
  std::int64_t all_cells = 0, all_edges = 0, all_vertices = 0;  ///< of the sphere: 20 N^2, 30 N^2, 10 N^2 + 2
  std::int64_t first_cell = 0, first_edge = 0, first_vertex = 0;  ///< numbers of the first entries
  std::int64_t cells() const { return static_cast<std::int64_t>(cell_area.size()); }
  std::int64_t edges() const { return static_cast<std::int64_t>(edge_length.size()); }
  std::int64_t vertices() const { return static_cast<std::int64_t>(dual_area.size()); }
  GridOptions options;

  // Cells. Vertices are counter-clockwise; edge k joins the vertices k and k+1; neighbour k lies behind edge
  // k.
  std::vector<std::array<std::int32_t, 3>> vertex_of_cell, edge_of_cell, neighbor_cell_index;
  std::vector<std::array<std::int8_t, 3>>
      orientation_of_normal;      ///< +1 where primal_normal points out of the cell
  std::vector<Vec3> cell_centre;  ///< by options.centre
  std::vector<double> cell_area;  ///< of the spherical triangle
  std::vector<std::array<double, 3>>
      kite_area;  ///< part of the cell that lies in the hexagon of its vertex k

  // Edges. Walking from vertex 0 to vertex 1, cell 0 is on the left and cell 1 on the right.
  std::vector<std::array<std::int32_t, 2>> edge_vertices, adjacent_cell_of_edge;
  std::vector<Vec3> edge_point;  ///< where edge and dual edge cross; the middle of the edge for circumcentres
  std::vector<Vec3>
      primal_normal;  ///< tangent to the sphere, normal to the edge, from cell 0 to cell 1 (ICON's vn)
  std::vector<Vec3>
      dual_normal;  ///< tangent, normal to the dual edge, from vertex 0 to vertex 1 (DYNAMICO's u)
  std::vector<double> edge_length, dual_edge_length;

  // Vertices. Neighbours are counter-clockwise: edge k leads to vertex k and is the wall between the cells k
  // and k+1. A pentagon has 5 of each, then -1 (edge_orientation 0).
  std::vector<std::int8_t> degree;
  std::vector<std::array<std::int32_t, 6>> vertices_of_vertex, edges_of_vertex, cells_of_vertex;
  std::vector<std::array<std::int8_t, 6>>
      edge_orientation;  ///< +1 where dual_normal points out of the hexagon
  std::vector<Vec3> vertex;
  std::vector<double> dual_area;  ///< of the spherical hexagon whose corners are the cells' centres
};

/// The points of a sphere and their numbers: what every range of a grid is computed from. 32 bytes a vertex.
class Sphere {
 public:
  /// Throws std::invalid_argument for options that are out of range; 30 N^2 must fit 32 bits.
  explicit Sphere(const GridOptions& options);

  const GridOptions& options() const { return options_; }
  /// The same points with other centres of triangles.
  Sphere with_centre(Centre centre) const {
    Sphere copy = *this;
    copy.options_.centre = centre;
    return copy;
  }
  const Numbering& numbering() const { return numbering_; }
  Vec3 vertex(std::int32_t number) const { return points_[numbering_.row_major(number)]; }
  Vec3 cell_centre(Owned triangle) const;

  /// Arrays of the vertices first <= h < last, with their cells and edges; 0 <= first <= last <= 10 N^2. The
  /// poles are in the range that ends at 10 N^2. Local and const: several threads may make ranges of one
  /// sphere. About 640 bytes a vertex.
  Grid range(std::int64_t first, std::int64_t last) const;
  /// Entries of cells, edges and vertices with these numbers, in the order of the lists: the halo of a part.
  /// first_cell, ... are 0 and mean nothing.
  Grid entries(const std::vector<std::int32_t>& cells, const std::vector<std::int32_t>& edges,
               const std::vector<std::int32_t>& vertices) const;

 private:
  friend struct RangeMaker;
  Grid empty_grid() const;
  Vec3 point(Place p) const { return points_[numbering_.diamonds().row_major(p)]; }

  GridOptions options_;
  Numbering numbering_;
  std::vector<Vec3> points_;
};

/// The whole sphere.
Grid make_grid(const GridOptions& options);

}  // namespace igcm::grid
