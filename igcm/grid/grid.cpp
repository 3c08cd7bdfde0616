#include "grid.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "parallel.hpp"

namespace igcm::grid {
namespace {

const GridOptions& checked(const GridOptions& options) {
  const PointOptions& points = options.points;
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  if (points.root < 1) refuse("root: expected at least 1, not " + std::to_string(points.root));
  if (points.bisections < 0 || points.bisections > 20)
    refuse("bisections: expected 0 to 20, not " + std::to_string(points.bisections));
  const double side = std::ldexp(points.root, points.bisections);
  if (30 * side * side > std::numeric_limits<std::int32_t>::max())
    refuse("R" + std::to_string(points.root) + "B" + std::to_string(points.bisections) +
           ": its edges are more than 32 bits can count");
  if (points.iterations < 0)
    refuse("iterations: expected none or more, not " + std::to_string(points.iterations));
  if (!(options.radius > 0) || !std::isfinite(options.radius))
    refuse("radius: expected a positive length in m");
  return options;
}

// Where the arcs a-b and c-d cross.
Vec3 crossing(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
  const Vec3 middle = a + b;
  const Vec3 along = cross(cross(a, b - a), cross(c, d - c));
  return unit(dot(along, middle) < 0 ? -along : along);
}

}  // namespace

Sphere::Sphere(const GridOptions& options)
    : options_(checked(options)),
      numbering_(options.points.side(), options.points.threads),
      points_(make_points(options.points)) {}

Vec3 Sphere::cell_centre(Owned triangle) const {
  const auto corners = numbering_.diamonds().corners_of(triangle);
  const Vec3 a = point(corners[0]), b = point(corners[1]), c = point(corners[2]);
  return options_.centre == Centre::circumcentre ? circumcentre(a, b, c) : unit(a + b + c);
}

// Fills the entries of one vertex, and of the triangles and arcs that it owns.
struct RangeMaker {
  const Sphere& sphere;
  const Numbering& numbering;
  const Diamonds& diamonds;
  Grid& grid;

  RangeMaker(const Sphere& from, Grid& to)
      : sphere(from), numbering(from.numbering()), diamonds(numbering.diamonds()), grid(to) {}

  Vec3 edge_point(Owned arc) const {
    const auto ends = diamonds.ends_of(arc);
    const Vec3 a = sphere.point(ends[0]), b = sphere.point(ends[1]);
    if (sphere.options().centre == Centre::circumcentre) return unit(a + b);
    const auto sides = diamonds.sides_of(arc);
    return crossing(a, b, sphere.cell_centre(sides[0]), sphere.cell_centre(sides[1]));
  }

  double square() const { return grid.options.radius * grid.options.radius; }

  void cell(Owned triangle, std::int64_t at) const {
    const std::int32_t number = numbering.cell(triangle);
    const auto corners = diamonds.corners_of(triangle);
    const auto edges = diamonds.edges_of(triangle);
    const Vec3 centre = grid.cell_centre[at] = sphere.cell_centre(triangle);
    std::array<Vec3, 3> corner, middle;
    for (int k = 0; k < 3; ++k) {
      const auto sides = diamonds.sides_of(edges[k]);
      const bool left = numbering.cell(sides[0]) == number;
      grid.vertex_of_cell[at][k] = numbering.vertex(corners[k]);
      grid.edge_of_cell[at][k] = numbering.edge(edges[k]);
      grid.neighbor_cell_index[at][k] = numbering.cell(sides[left ? 1 : 0]);
      grid.orientation_of_normal[at][k] = left ? 1 : -1;
      corner[k] = sphere.point(corners[k]);
      middle[k] = edge_point(edges[k]);
    }
    grid.cell_area[at] = square() * triangle_area(corner[0], corner[1], corner[2]);
    for (int k = 0; k < 3; ++k)
      grid.kite_area[at][k] = square() * (triangle_area(corner[k], middle[k], centre) +
                                          triangle_area(corner[k], centre, middle[(k + 2) % 3]));
  }

  void edge(Owned arc, std::int64_t at) const {
    const auto ends = diamonds.ends_of(arc);
    const auto sides = diamonds.sides_of(arc);
    const Vec3 a = sphere.point(ends[0]), b = sphere.point(ends[1]);
    const Vec3 left = sphere.cell_centre(sides[0]), right = sphere.cell_centre(sides[1]);
    grid.edge_vertices[at] = {numbering.vertex(ends[0]), numbering.vertex(ends[1])};
    grid.adjacent_cell_of_edge[at] = {numbering.cell(sides[0]), numbering.cell(sides[1])};
    grid.edge_point[at] = edge_point(arc);
    grid.primal_normal[at] = unit(cross(b - a, a + b));
    // For circumcentres the normal is along the edge by construction, which is the longer base of a
    // direction.
    grid.dual_normal[at] = sphere.options().centre == Centre::circumcentre
                               ? unit(b - a)
                               : unit(cross(right - left, -(left + right)));
    grid.edge_length[at] = grid.options.radius * distance(a, b);
    grid.dual_edge_length[at] = grid.options.radius * distance(left, right);
  }

  void vertex(Place p, std::int64_t at) const {
    const Surroundings around = diamonds.around(p);
    const Vec3 centre = grid.vertex[at] = sphere.point(p);
    grid.degree[at] = static_cast<std::int8_t>(around.degree);
    std::array<Vec3, 6> corners;
    for (int k = 0; k < 6; ++k) {
      const bool there = k < around.degree;
      if (there) corners[k] = sphere.cell_centre(around.cells[k]);
      grid.vertices_of_vertex[at][k] = there ? numbering.vertex(around.vertices[k]) : -1;
      grid.edges_of_vertex[at][k] = there ? numbering.edge(around.edges[k]) : -1;
      grid.cells_of_vertex[at][k] = there ? numbering.cell(around.cells[k]) : -1;
      const bool out = there && around.edges[k].owner == p;
      grid.edge_orientation[at][k] = static_cast<std::int8_t>(!there ? 0 : out ? 1 : -1);
    }
    double area = 0;
    for (int k = 0; k < around.degree; ++k)
      area += triangle_area(centre, corners[k], corners[(k + 1) % around.degree]);
    grid.dual_area[at] = square() * area;
  }
};

Grid Sphere::empty_grid() const {
  Grid grid;
  grid.options = options_;
  grid.all_cells = 2 * numbering_.rhombi();
  grid.all_edges = 3 * numbering_.rhombi();
  grid.all_vertices = numbering_.rhombi() + 2;
  return grid;
}

Grid Sphere::entries(const std::vector<std::int32_t>& cells, const std::vector<std::int32_t>& edges,
                     const std::vector<std::int32_t>& vertices) const {
  Grid grid = empty_grid();
  const RangeMaker make(*this, grid);
  resize_arrays(grid, std::ssize(cells), std::ssize(edges), std::ssize(vertices));
  const auto owned = [&](std::int32_t number, int each) {
    return Owned{numbering_.place(number / each), number % each};
  };
  for (std::size_t k = 0; k < cells.size(); ++k) make.cell(owned(cells[k], 2), static_cast<std::int64_t>(k));
  for (std::size_t k = 0; k < edges.size(); ++k) make.edge(owned(edges[k], 3), static_cast<std::int64_t>(k));
  for (std::size_t k = 0; k < vertices.size(); ++k)
    make.vertex(numbering_.place(vertices[k]), static_cast<std::int64_t>(k));
  return grid;
}

Grid Sphere::range(std::int64_t first, std::int64_t last) const {
  const std::int64_t rhombi = numbering_.rhombi();
  if (first < 0 || first > last || last > rhombi)
    throw std::out_of_range("a range of vertices beyond the sphere");
  Grid grid = empty_grid();
  grid.first_cell = 2 * first;
  grid.first_edge = 3 * first;
  grid.first_vertex = first;
  const RangeMaker make(*this, grid);
  const std::int64_t end = last == rhombi ? last + 2 : last;
  resize_arrays(grid, 2 * (last - first), 3 * (last - first), end - first);
  parallel_for(first, end, options_.points.threads, [&](std::int64_t begin, std::int64_t stop) {
    for (std::int64_t h = begin; h < stop; ++h) {
      const Place p = numbering_.place(static_cast<std::int32_t>(h));
      const std::int64_t at = h - first;
      make.vertex(p, at);
      if (p.is_pole()) continue;
      for (const int which : {TI, TJ}) make.cell({p, which}, 2 * at + which);
      for (const int which : {AI, AIJ, AJ}) make.edge({p, which}, 3 * at + which);
    }
  });
  return grid;
}

Grid make_grid(const GridOptions& options) {
  const Sphere sphere(options);
  return sphere.range(0, sphere.numbering().rhombi());
}

}  // namespace igcm::grid
