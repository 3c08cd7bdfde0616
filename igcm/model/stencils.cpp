#include "stencils.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#ifdef IGCM_STENCILS  // where stencilc could run
#include "shallow_water_stencils.h"

namespace igcm::model {
namespace {

using Table = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

// Slot s of point p at s * points + p. Entries that are missing, or lead out of the part, lead to the first
// entry of the point or else to 0; no loop follows those that lead out.
template <class Rows>
Table table_of(const Rows& rows, std::size_t slots) {
  Table table(slots * rows.size());
  for (std::size_t p = 0; p < rows.size(); ++p)
    for (std::size_t s = 0; s < slots; ++s)
      table[s * rows.size() + p] = std::max(rows[p][s] >= 0 ? rows[p][s] : rows[p][0], 0);
  return table;
}

template <class Rows>
Numbers numbers_of(const Rows& rows, std::size_t slots) {
  Numbers numbers(slots * rows.size());
  for (std::size_t p = 0; p < rows.size(); ++p)
    for (std::size_t s = 0; s < slots; ++s) numbers[s * rows.size() + p] = rows[p][s];
  return numbers;
}

// Points of one location, of which own ones come first. Inner ones are own ones from which no steps lead to
// other ranks.
struct Points {
  std::int64_t own = 0, count = 0;
  std::vector<bool> inner = std::vector<bool>(index(count));

  Points(std::int64_t own_points, std::int64_t all) : own(own_points), count(all) {
    std::fill(inner.begin(), inner.begin() + own, true);
  }
};

// Takes from the inner points those from which a step along a table leads to a point that is not inner.
void keep_inside(const Table& table, const std::vector<bool>& to, std::vector<bool>& from) {
  for (std::size_t entry = 0; entry < table.size(); ++entry) {
    const std::size_t p = entry % from.size();
    if (!to[index(table[entry])]) from[p] = false;
  }
}

// Ranges of own points: the inner ones, then the others. Returns how many are of inner ones.
std::int32_t ranges_of(const Points& points, Table& ranges) {
  std::int32_t inner = 0;
  for (const bool side : {true, false}) {
    for (std::int64_t p = 0; p < points.own; ++p) {
      if (points.inner[index(p)] != side) continue;
      if (p == 0 || points.inner[index(p - 1)] != side)
        ranges.insert(ranges.end(), {static_cast<std::int32_t>(p), 0});
      ranges.back() = static_cast<std::int32_t>(p + 1);
    }
    if (side) inner = static_cast<std::int32_t>(ranges.size() / 2);
  }
  return inner;
}

void expect(int status) {
  if (status != STENCIL_OK)
    throw std::runtime_error("tendencies: a function of stencils returned " + std::to_string(status));
}

}  // namespace

struct Stencils::Handle {
  Table cell_edge, cell_vertex, edge_cell, edge_vertex, vertex_edge, vertex_cell, edge_partner;
  Table cell_ranges, edge_ranges, vertex_ranges;
  Numbers outward, there, turn, kite, share, weight, q_in_volume;
  const CGrid& grid;
  stencil_triangles part = {};

  explicit Handle(const CGrid& of) : grid(of) {}
  void make_tables(const Part& source, const Partners& partners, const Weights& weights);
  void make_weights();
  void make_sets();
};

void Stencils::Handle::make_tables(const Part& source, const Partners& partners, const Weights& weights) {
  cell_edge = table_of(source.grid.edge_of_cell, 3);
  cell_vertex = table_of(source.grid.vertex_of_cell, 3);
  edge_cell = table_of(source.grid.adjacent_cell_of_edge, 2);
  edge_vertex = table_of(source.grid.edge_vertices, 2);
  vertex_edge = table_of(grid.edges_of_volume, CGrid::most);
  vertex_cell = table_of(grid.corners_of_volume, CGrid::most);
  edge_partner = table_of(partners, 10);
  weight = numbers_of(weights, 10);
  part.levels = 1;
  part.cells = static_cast<std::int32_t>(grid.corners());
  part.edges = static_cast<std::int32_t>(grid.edges());
  part.vertices = static_cast<std::int32_t>(grid.volumes());
  part.cell_edge = cell_edge.data();
  part.cell_vertex = cell_vertex.data();
  part.edge_cell = edge_cell.data();
  part.edge_vertex = edge_vertex.data();
  part.vertex_edge = vertex_edge.data();
  part.vertex_cell = vertex_cell.data();
  part.edge_partner = edge_partner.data();
}

void Stencils::Handle::make_weights() {
  outward = numbers_of(grid.outward, CGrid::most);
  turn = numbers_of(grid.turn, 3);
  kite = numbers_of(grid.kite, 3);
  const std::size_t volumes = index(grid.volumes());
  there.assign(CGrid::most * volumes, 0);
  share.assign(CGrid::most * volumes, 0);
  for (std::size_t v = 0; v < volumes; ++v)
    for (std::size_t s = 0; s < index(grid.degree[v]); ++s) {
      there[s * volumes + v] = 1;
      const std::int32_t corner = grid.corners_of_volume[v][s];
      if (corner < 0) continue;
      const auto& around = grid.volumes_of_corner[index(corner)];
      const auto at = std::ranges::find(around, static_cast<std::int32_t>(v)) - around.begin();
      share[s * volumes + v] = grid.kite[index(corner)][index(at)];
    }
  q_in_volume.resize(volumes);
}

void Stencils::Handle::make_sets() {
  Points cells(grid.own_corners, grid.corners()), edges(grid.own_edges, grid.edges()),
      vertices(grid.own_volumes, grid.volumes());
  for (int step = 0; step < STENCILS_SHALLOW_WATER_STEPS; ++step) {
    const auto to_cells = cells.inner, to_edges = edges.inner, to_vertices = vertices.inner;
    keep_inside(cell_edge, to_edges, cells.inner);
    keep_inside(cell_vertex, to_vertices, cells.inner);
    keep_inside(edge_cell, to_cells, edges.inner);
    keep_inside(edge_vertex, to_vertices, edges.inner);
    keep_inside(edge_partner, to_edges, edges.inner);
    keep_inside(vertex_edge, to_edges, vertices.inner);
    keep_inside(vertex_cell, to_cells, vertices.inner);
  }
  const auto set = [](const Points& points, Table& ranges) {
    const std::int32_t inner = ranges_of(points, ranges);
    return stencil_set{static_cast<std::int32_t>(ranges.size() / 2), ranges.data(), inner};
  };
  part.cell_interior = part.cell_all = set(cells, cell_ranges);
  part.edge_interior = part.edge_all = set(edges, edge_ranges);
  part.vertex_interior = part.vertex_all = set(vertices, vertex_ranges);
}

Stencils::Stencils(const Part& part, const CGrid& grid, Halo& halo, const Partners& partners,
                   const Weights& weights)
    : handle_(std::make_unique<Handle>(grid)) {
  if (grid.kind != Volumes::hexagons)
    throw std::invalid_argument("tendencies: \"stencils\" are for hexagons; expected mesh = \"hexagons\"");
  handle_->make_tables(part, partners, weights);
  handle_->make_weights();
  handle_->make_sets();
  handle_->part.context = &halo;
  handle_->part.begin_exchange = [](void* context, std::int32_t count, double* const* fields,
                                    const std::int32_t* shapes) {
    static_cast<Halo*>(context)->begin(count, fields, shapes);
  };
  handle_->part.end_exchange = [](void* context) { static_cast<Halo*>(context)->end(); };
}

Stencils::~Stencils() = default;

void Stencils::diagnose(const StencilFields& f, double gravity) {
  const Handle& h = *handle_;
  expect(shallow_water_diagnose(&h.part, gravity, f.height.data(), f.ground.data(), f.velocity.data(),
                                f.coriolis.data(), h.grid.wall.data(), h.grid.distance.data(),
                                h.grid.area.data(), h.grid.corner_area.data(), h.outward.data(),
                                h.there.data(), h.turn.data(), h.kite.data(), f.flux.data(),
                                f.vorticity.data(), f.q.data(), f.bernoulli.data(), f.divergence.data()));
}

void Stencils::tendencies(const StencilFields& f, double upwinding, double viscosity, double dt,
                          Numbers& height_change, Numbers& velocity_change) {
  Handle& h = *handle_;
  expect(shallow_water_tendencies(
      &h.part, upwinding, viscosity, dt, f.height.data(), f.velocity.data(), h.grid.wall.data(),
      h.grid.distance.data(), h.grid.area.data(), h.outward.data(), h.share.data(), h.weight.data(),
      f.flux.data(), f.vorticity.data(), f.q.data(), f.bernoulli.data(), f.divergence.data(),
      h.q_in_volume.data(), f.q_at_edge.data(), height_change.data(), velocity_change.data()));
}

}  // namespace igcm::model

#else

namespace igcm::model {

struct Stencils::Handle {};

Stencils::Stencils(const Part&, const CGrid&, Halo&, const Partners&, const Weights&) {
  throw std::invalid_argument(
      "tendencies: this build has no generated stencils; expected \"hand\", or a build that is configured "
      "with a "
      "Python that has lark and PyYAML");
}
Stencils::~Stencils() = default;
void Stencils::diagnose(const StencilFields&, double) {}
void Stencils::tendencies(const StencilFields&, double, double, double, std::vector<double>&,
                          std::vector<double>&) {}

}  // namespace igcm::model

#endif
