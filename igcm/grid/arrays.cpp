#include "arrays.hpp"

namespace igcm::grid {

void resize_arrays(Grid& g, std::int64_t cells, std::int64_t edges, std::int64_t vertices) {
  const auto resize = [](std::int64_t length, auto&... arrays) {
    (arrays.resize(static_cast<std::size_t>(length)), ...);
  };
  resize(cells, g.vertex_of_cell, g.edge_of_cell, g.neighbor_cell_index, g.orientation_of_normal,
         g.cell_centre, g.cell_area, g.kite_area);
  resize(edges, g.edge_vertices, g.adjacent_cell_of_edge, g.edge_point, g.primal_normal, g.dual_normal,
         g.edge_length, g.dual_edge_length);
  resize(vertices, g.degree, g.vertices_of_vertex, g.edges_of_vertex, g.cells_of_vertex, g.edge_orientation,
         g.vertex, g.dual_area);
}

}  // namespace igcm::grid
