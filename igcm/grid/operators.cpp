#include "operators.hpp"

namespace igcm::grid {
namespace {

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

// Sums over the edges of each triangle, by its area.
Field sum_around_cells(const Grid& g, const Field& velocity, const std::vector<double>& length) {
  Field result(g.cell_area.size());
  for (std::size_t c = 0; c < result.size(); ++c) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const auto e = index(g.edge_of_cell[c][k]);
      sum += g.orientation_of_normal[c][k] * length[e] * velocity[e];
    }
    result[c] = sum / g.cell_area[c];
  }
  return result;
}

// Sums over the edges of each vertex, by the area of its hexagon.
Field sum_around_vertices(const Grid& g, const Field& velocity, const std::vector<double>& length) {
  Field result(g.dual_area.size());
  for (std::size_t v = 0; v < result.size(); ++v) {
    double sum = 0;
    for (int k = 0; k < g.degree[v]; ++k) {
      const auto e = index(g.edges_of_vertex[v][k]);
      sum += g.edge_orientation[v][k] * length[e] * velocity[e];
    }
    result[v] = sum / g.dual_area[v];
  }
  return result;
}

Field difference(const std::vector<std::array<std::int32_t, 2>>& ends, const std::vector<double>& length,
                 const Field& scalar) {
  Field result(ends.size());
  for (std::size_t e = 0; e < result.size(); ++e)
    result[e] = (scalar[index(ends[e][1])] - scalar[index(ends[e][0])]) / length[e];
  return result;
}

Field negative(Field field) {
  for (double& value : field) value = -value;
  return field;
}

}  // namespace

Field triangles::divergence(const Grid& g, const Field& velocity) {
  return sum_around_cells(g, velocity, g.edge_length);
}
Field triangles::gradient(const Grid& g, const Field& scalar) {
  return difference(g.adjacent_cell_of_edge, g.dual_edge_length, scalar);
}
// primal_normal is 90 degrees clockwise of the way to the vertex 1: around the vertex 0 it turns clockwise.
Field triangles::curl(const Grid& g, const Field& velocity) {
  return negative(sum_around_vertices(g, velocity, g.dual_edge_length));
}
Field triangles::rotated_gradient(const Grid& g, const Field& stream) {
  return negative(difference(g.edge_vertices, g.edge_length, stream));
}
Field triangles::laplacian(const Grid& g, const Field& scalar) { return divergence(g, gradient(g, scalar)); }

Field hexagons::divergence(const Grid& g, const Field& velocity) {
  return sum_around_vertices(g, velocity, g.dual_edge_length);
}
Field hexagons::gradient(const Grid& g, const Field& scalar) {
  return difference(g.edge_vertices, g.edge_length, scalar);
}
// The cell on the left of dual_normal is that out of which primal_normal points.
Field hexagons::curl(const Grid& g, const Field& velocity) {
  return sum_around_cells(g, velocity, g.edge_length);
}
Field hexagons::rotated_gradient(const Grid& g, const Field& stream) {
  return difference(g.adjacent_cell_of_edge, g.dual_edge_length, stream);
}
Field hexagons::laplacian(const Grid& g, const Field& scalar) { return divergence(g, gradient(g, scalar)); }

}  // namespace igcm::grid
