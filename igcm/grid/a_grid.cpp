#include "operators.hpp"

namespace igcm::grid {
namespace {

std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

// Value at the centre of a triangle from its corners: each weighs by the part of the area opposite to it
// (W1..W3).
template <class Value>
std::vector<Value> to_triangles(const Grid& g, const std::vector<Value>& at_vertices) {
  std::vector<Value> result(g.cell_centre.size());
  for (std::size_t c = 0; c < result.size(); ++c) {
    const auto& corner = g.vertex_of_cell[c];
    std::array<double, 3> part;
    for (int k = 0; k < 3; ++k)
      part[k] = triangle_area(g.cell_centre[c], g.vertex[index(corner[(k + 1) % 3])],
                              g.vertex[index(corner[(k + 2) % 3])]);
    const double whole = part[0] + part[1] + part[2];
    Value sum{};
    for (int k = 0; k < 3; ++k) sum = sum + (part[k] / whole) * at_vertices[index(corner[k])];
    result[c] = sum;
  }
  return result;
}

// The wall of edge k of a vertex, scaled to its length, and the triangles at its ends.
struct Wall {
  Vec3 outward, along;  // `along` is counter-clockwise around the vertex
  std::size_t first, second;
};
Wall wall_of(const Grid& g, std::size_t v, int k) {
  const auto e = index(g.edges_of_vertex[v][k]);
  const auto first = index(g.cells_of_vertex[v][k]),
             second = index(g.cells_of_vertex[v][(k + 1) % g.degree[v]]);
  const Vec3 outward = (g.edge_orientation[v][k] * g.dual_edge_length[e]) * g.dual_normal[e];
  return {outward, cross(unit(g.cell_centre[first] + g.cell_centre[second]), outward), first, second};
}

// 1 / area times the sum over walls of add(wall), which may use half the sum of the values at its ends.
template <class Value, class Add>
std::vector<Value> sum_along_walls(const Grid& g, const Add& add) {
  std::vector<Value> result(g.dual_area.size());
  for (std::size_t v = 0; v < result.size(); ++v) {
    Value sum{};
    for (int k = 0; k < g.degree[v]; ++k) sum = sum + add(v, wall_of(g, v, k));
    result[v] = (1 / g.dual_area[v]) * sum;
  }
  return result;
}

// An arc's normal to its left, scaled to the length of the arc (TN).
Vec3 left_normal(const Grid& g, Vec3 from, Vec3 to) {
  return (g.options.radius * distance(from, to)) * unit(cross(from, to - from));
}

// Gradient in the triangles from three corners (coef_intp).
VectorField gradient_in_triangles(const Grid& g, const Field& scalar) {
  VectorField result(g.cell_area.size());
  for (std::size_t c = 0; c < result.size(); ++c) {
    const auto& corner = g.vertex_of_cell[c];
    std::array<Vec3, 3> normal, weight;  // normal k: of the side from corner k to k+1
    for (int k = 0; k < 3; ++k)
      normal[k] = left_normal(g, g.vertex[index(corner[k])], g.vertex[index(corner[(k + 1) % 3])]);
    for (int k = 0; k < 3; ++k) weight[k] = (-0.5 / g.cell_area[c]) * (normal[k] + normal[(k + 2) % 3]);
    const Vec3 mean = (1.0 / 3) * (weight[0] + weight[1] + weight[2]);
    for (int k = 0; k < 3; ++k) result[c] += scalar[index(corner[k])] * (weight[k] - mean);
  }
  return result;
}

}  // namespace

Field a_grid::divergence(const Grid& g, const VectorField& velocity) {
  const VectorField there = to_triangles(g, velocity);
  return sum_along_walls<double>(g, [&](std::size_t, const Wall& wall) {
    return 0.5 * dot(wall.outward, there[wall.first] + there[wall.second]);
  });
}

Field a_grid::curl(const Grid& g, const VectorField& velocity) {
  const VectorField there = to_triangles(g, velocity);
  return sum_along_walls<double>(g, [&](std::size_t, const Wall& wall) {
    return 0.5 * dot(wall.along, there[wall.first] + there[wall.second]);
  });
}

// The value in the middle is taken off, since the walls of a polygon on the sphere do not sum to zero.
VectorField a_grid::gradient(const Grid& g, const Field& scalar) {
  const Field there = to_triangles(g, scalar);
  return sum_along_walls<Vec3>(g, [&](std::size_t v, const Wall& wall) {
    return (0.5 * (there[wall.first] + there[wall.second]) - scalar[v]) * wall.outward;
  });
}

Field a_grid::laplacian(const Grid& g, const Field& scalar) {
  const VectorField there = gradient_in_triangles(g, scalar);
  return sum_along_walls<double>(g, [&](std::size_t, const Wall& wall) {
    return 0.5 * dot(wall.outward, there[wall.first] + there[wall.second]);
  });
}

}  // namespace igcm::grid
