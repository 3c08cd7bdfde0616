#include "c_grid.hpp"

#include <algorithm>

namespace igcm::model {
namespace {

using grid::Grid;
using grid::Vec3;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

template <std::size_t n>
CGrid::Ring ring(const std::array<std::int32_t, n>& entries) {
  CGrid::Ring result;
  result.fill(-1);
  std::ranges::copy(entries, result.begin());
  return result;
}

template <std::size_t n>
std::array<double, CGrid::most> signs(const std::array<std::int8_t, n>& entries, double factor) {
  std::array<double, CGrid::most> result{};
  for (std::size_t k = 0; k < n; ++k) result[k] = factor * entries[k];
  return result;
}

// Vertices and cells of the grid as volumes or as corners: `entities` are the arrays to fill.
struct Entities {
  std::vector<std::int32_t>& numbers;
  std::vector<std::int8_t>& degree;
  std::vector<CGrid::Ring>&edges, &others;
  std::vector<std::array<double, CGrid::most>>& sign;
  std::vector<double>& area;
  std::vector<Vec3>& position;
};

void take_vertices(const Part& part, double sign, Entities to) {
  const Grid& g = part.grid;
  to.numbers = part.vertex_numbers;
  to.degree = g.degree;
  to.edges = g.edges_of_vertex;
  to.others = g.cells_of_vertex;
  for (const auto& one : g.edge_orientation) to.sign.push_back(signs(one, sign));
  to.area = g.dual_area;
  to.position = g.vertex;
}

void take_cells(const Part& part, double sign, Entities to) {
  const Grid& g = part.grid;
  to.numbers = part.cell_numbers;
  to.degree.assign(g.cell_area.size(), 3);
  for (std::size_t c = 0; c < g.cell_area.size(); ++c) {
    to.edges.push_back(ring(g.edge_of_cell[c]));
    to.others.push_back(ring(g.vertex_of_cell[c]));
    to.sign.push_back(signs(g.orientation_of_normal[c], sign));
  }
  to.area = g.cell_area;
  to.position = g.cell_centre;
}

// The area that a corner shares with each of its volumes; 0 where one of the two is not here.
void find_kites(const Grid& g, CGrid& to) {
  to.kite.resize(to.corner_area.size());
  for (std::size_t c = 0; c < to.kite.size(); ++c)
    for (std::size_t k = 0; k < index(to.corner_degree[c]); ++k) {
      to.kite[c][k] = 0;
      const std::int32_t volume = to.volumes_of_corner[c][k];
      if (volume < 0) continue;
      const auto corner = static_cast<std::int32_t>(c);
      const auto [cell, vertex] =
          to.kind == Volumes::hexagons ? std::pair(corner, volume) : std::pair(volume, corner);
      const auto& vertices = g.vertex_of_cell[index(cell)];
      to.kite[c][k] = g.kite_area[index(cell)][index(std::ranges::find(vertices, vertex) - vertices.begin())];
    }
}

// From the normal components around a point: sum of flux times the place of the wall, by the area.
Vec3 from_walls(const CGrid& g, Vec3 centre, double area, int degree, const CGrid::Ring& edges,
                const std::array<double, CGrid::most>& sign, const std::vector<double>& length,
                const std::vector<double>& velocity) {
  Vec3 wind;
  for (std::size_t k = 0; k < index(degree); ++k) {
    const std::size_t e = index(edges[k]);
    wind += (sign[k] * length[e] * velocity[e] * g.radius / area) * (g.edge_point[e] - centre);
  }
  return wind - dot(wind, centre) * centre;
}

}  // namespace

CGrid make_c_grid(const Part& part, Volumes kind) {
  const Grid& g = part.grid;
  const bool hexagons = kind == Volumes::hexagons;
  CGrid to;
  to.kind = kind;
  to.radius = g.options.radius;
  to.own_volumes = hexagons ? part.own_vertices : part.own_cells;
  to.own_corners = hexagons ? part.own_cells : part.own_vertices;
  to.own_edges = part.own_edges;
  const Entities volumes{to.volume_numbers, to.degree, to.edges_of_volume, to.corners_of_volume,
                         to.outward,        to.area,   to.centre};
  const Entities corners{to.corner_numbers, to.corner_degree, to.edges_of_corner, to.volumes_of_corner,
                         to.turn,           to.corner_area,   to.corner};
  // dual_normal, which points from vertex to vertex, turns counter-clockwise around the cell out of which
  // primal_normal points; primal_normal turns clockwise around the vertex out of which dual_normal points.
  take_vertices(part, hexagons ? 1 : -1, hexagons ? volumes : corners);
  take_cells(part, 1, hexagons ? corners : volumes);
  to.volumes_of_edge = hexagons ? g.edge_vertices : g.adjacent_cell_of_edge;
  to.corners_of_edge = hexagons ? g.adjacent_cell_of_edge : g.edge_vertices;
  if (hexagons)  // cell 0 is on the left of the way from vertex 0 to vertex 1
    for (auto& ends : to.corners_of_edge) std::swap(ends[0], ends[1]);
  to.wall = hexagons ? g.dual_edge_length : g.edge_length;
  to.distance = hexagons ? g.edge_length : g.dual_edge_length;
  to.normal = hexagons ? g.dual_normal : g.primal_normal;
  to.edge_point = g.edge_point;
  find_kites(g, to);
  return to;
}

Vec3 wind_in_volume(const CGrid& g, const std::vector<double>& velocity, std::size_t v) {
  return from_walls(g, g.centre[v], g.area[v], g.degree[v], g.edges_of_volume[v], g.outward[v], g.wall,
                    velocity);
}

std::vector<Vec3> wind_at_points(const CGrid& g, const std::vector<double>& velocity) {
  std::vector<Vec3> wind;
  if (g.kind == Volumes::hexagons)
    for (std::size_t v = 0; v < index(g.own_volumes); ++v) wind.push_back(wind_in_volume(g, velocity, v));
  // Around a corner the normals run along the walls of its own polygon: they are the outward normals, turned.
  else
    for (std::size_t c = 0; c < index(g.own_corners); ++c) {
      const Vec3 turned = from_walls(g, g.corner[c], g.corner_area[c], g.corner_degree[c],
                                     g.edges_of_corner[c], g.turn[c], g.distance, velocity);
      wind.push_back(cross(g.corner[c], turned));
    }
  return wind;
}

}  // namespace igcm::model
