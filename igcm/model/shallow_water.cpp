#include "shallow_water.hpp"

#include <algorithm>
#include <cmath>

namespace igcm::model {
namespace {

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

// y = x + a k on the first n entries.
void add(Field& y, const Field& x, double a, const Field& k, std::int64_t n) {
  for (std::size_t at = 0; at < index(n); ++at) y[at] = x[at] + a * k[at];
}

}  // namespace

ShallowWater::ShallowWater(const Part& part, const Planet& planet, double tilt, Field bottom, MPI_Comm comm)
    : part_(part), planet_(planet), bottom_(std::move(bottom)), halo_(part, comm) {
  const grid::Grid& g = part_.grid;
  const grid::Vec3 axis{-std::sin(tilt), 0, std::cos(tilt)};
  for (const grid::Vec3& centre : g.cell_centre)
    coriolis_.push_back(2 * planet_.rotation * grid::dot(axis, centre));
  vorticity_.resize(g.cell_area.size());
  q_.resize(g.cell_area.size());
  flux_.resize(g.edge_length.size());
  bernoulli_.resize(g.dual_area.size());
  for (State* state : {&stage_, &change_, &sum_}) {
    state->height.resize(g.dual_area.size());
    state->velocity.resize(g.edge_length.size());
  }
  list_work();
  make_weights();
}

// Diagnosed are: F at edges and q at cells that touch a near vertex, the Bernoulli function at near vertices.
// None needs the halo where all vertices around belong to this rank.
void ShallowWater::list_work() {
  const grid::Grid& g = part_.grid;
  const auto list = [&](Work& work, std::size_t count, const auto& touched, const auto& is_early) {
    for (std::size_t k = 0; k < count; ++k)
      if (std::ranges::any_of(touched(k), [&](std::int32_t v) { return v >= 0 && v < part_.near_vertices; }))
        work.all.push_back(static_cast<std::int32_t>(k));
    work.early = index(std::ranges::stable_partition(work.all, is_early).begin() - work.all.begin());
  };
  const auto all_own = [&](const auto& vertices) {
    return std::ranges::all_of(vertices, [&](std::int32_t v) { return v >= 0 && v < part_.own_vertices; });
  };
  list(
      cells_, g.cell_area.size(), [&](std::size_t k) { return g.vertex_of_cell[k]; },
      [&](std::int32_t k) { return all_own(g.vertex_of_cell[index(k)]); });
  list(
      edges_, g.edge_length.size(), [&](std::size_t k) { return g.edge_vertices[k]; },
      [&](std::int32_t k) { return all_own(g.edge_vertices[index(k)]); });
  list(
      vertices_, g.dual_area.size(), [&](std::size_t k) { return std::array{static_cast<std::int32_t>(k)}; },
      [&](std::int32_t k) {
        const auto& edges = g.edges_of_vertex[index(k)];
        return std::all_of(edges.begin(), edges.begin() + g.degree[index(k)],
                           [&](std::int32_t e) { return e >= 0 && e < part_.own_edges; }) &&
               k < part_.own_vertices;
      });
}

// Walking around a hexagon from the edge e, w = s n (1/2 - sum of the shares of the corners that were
// passed): s and n are +1 where the normals of e and of the partner point out of the hexagon (Thuburn et al.
// 2009, eq. 33).
void ShallowWater::make_weights() {
  const grid::Grid& g = part_.grid;
  partners_.resize(index(part_.own_edges));
  weights_.resize(index(part_.own_edges));
  for (std::size_t e = 0; e < partners_.size(); ++e) {
    partners_[e].fill(static_cast<std::int32_t>(e));
    weights_[e].fill(0);
    std::size_t next = 0;
    for (const std::int32_t vertex : g.edge_vertices[e]) {
      const std::size_t v = index(vertex);
      const int degree = g.degree[v];
      const auto& ring = g.edges_of_vertex[v];
      const int begin =
          static_cast<int>(std::ranges::find(ring, static_cast<std::int32_t>(e)) - ring.begin());
      double passed = 0;
      for (int m = 1; m < degree; ++m) {
        const int k = (begin + m) % degree;
        const std::size_t corner = index(g.cells_of_vertex[v][k]);
        const auto& corners = g.vertex_of_cell[corner];
        passed +=
            g.kite_area[corner][index(std::ranges::find(corners, vertex) - corners.begin())] / g.dual_area[v];
        partners_[e][next] = ring[k];
        weights_[e][next++] = g.edge_orientation[v][begin] * g.edge_orientation[v][k] * (0.5 - passed);
      }
    }
  }
}

template <class Compute>
void ShallowWater::for_work(const Work& work, bool early, const Compute& compute) {
  const std::size_t first = early ? 0 : work.early, last = early ? work.early : work.all.size();
  for (std::size_t k = first; k < last; ++k) compute(index(work.all[k]));
}

void ShallowWater::diagnose(const State& state, bool early) {
  const grid::Grid& g = part_.grid;
  const Field& h = state.height;
  const Field& u = state.velocity;
  for_work(edges_, early, [&](std::size_t e) {
    const auto& ends = g.edge_vertices[e];
    flux_[e] = 0.5 * (h[index(ends[0])] + h[index(ends[1])]) * u[e] * g.dual_edge_length[e];
  });
  for_work(cells_, early, [&](std::size_t c) {
    double circulation = 0, depth = 0;
    for (int k = 0; k < 3; ++k) {
      const std::size_t e = index(g.edge_of_cell[c][k]);
      circulation += g.orientation_of_normal[c][k] * g.edge_length[e] * u[e];
      depth += g.kite_area[c][k] * h[index(g.vertex_of_cell[c][k])];
    }
    vorticity_[c] = circulation / g.cell_area[c];
    q_[c] = (vorticity_[c] + coriolis_[c]) / (depth / g.cell_area[c]);
  });
  for_work(vertices_, early, [&](std::size_t v) {
    double kinetic = 0;
    for (int k = 0; k < g.degree[v]; ++k) {
      const std::size_t e = index(g.edges_of_vertex[v][k]);
      kinetic += g.dual_edge_length[e] * g.edge_length[e] * (u[e] * u[e]);
    }
    bernoulli_[v] = planet_.gravity * (h[v] + bottom_[v]) + kinetic / (4 * g.dual_area[v]);
  });
}

void ShallowWater::exchange_and_diagnose(State& state) {
  halo_.begin(state.height, state.velocity);
  diagnose(state, true);
  halo_.end();
  diagnose(state, false);
}

double ShallowWater::change_of_velocity(std::size_t e) const {
  const grid::Grid& g = part_.grid;
  const auto q_at = [&](std::size_t at) {
    const auto& sides = g.adjacent_cell_of_edge[at];
    return 0.5 * (q_[index(sides[0])] + q_[index(sides[1])]);
  };
  const double q = q_at(e);
  double turned = 0;
  for (std::size_t m = 0; m < 10; ++m) {
    const std::size_t other = index(partners_[e][m]);
    turned += weights_[e][m] * flux_[other] * (q + q_at(other));
  }
  const auto& ends = g.edge_vertices[e];
  return (0.5 * turned + bernoulli_[index(ends[0])] - bernoulli_[index(ends[1])]) / g.edge_length[e];
}

void ShallowWater::tendencies(State& state, State& change) {
  const grid::Grid& g = part_.grid;
  exchange_and_diagnose(state);
  for (std::size_t v = 0; v < index(part_.own_vertices); ++v) {
    double outflow = 0;
    for (int k = 0; k < g.degree[v]; ++k)
      outflow += g.edge_orientation[v][k] * flux_[index(g.edges_of_vertex[v][k])];
    change.height[v] = -outflow / g.dual_area[v];
  }
  for (std::int64_t e = 0; e < part_.own_edges; ++e) change.velocity[index(e)] = change_of_velocity(index(e));
}

void ShallowWater::advance(State& state, double dt) {
  const std::int64_t vertices = part_.own_vertices, edges = part_.own_edges;
  const auto combine = [&](State& to, const State& from, double factor) {
    add(to.height, from.height, factor, change_.height, vertices);
    add(to.velocity, from.velocity, factor, change_.velocity, edges);
  };
  tendencies(state, change_);
  combine(sum_, state, dt / 6);
  combine(stage_, state, dt / 2);
  tendencies(stage_, change_);
  combine(sum_, sum_, dt / 3);
  combine(stage_, state, dt / 2);
  tendencies(stage_, change_);
  combine(sum_, sum_, dt / 3);
  combine(stage_, state, dt);
  tendencies(stage_, change_);
  combine(state, sum_, dt / 6);
}

Field ShallowWater::vorticity(State& state) {
  exchange_and_diagnose(state);
  Field own;
  for (const std::int32_t c : part_.own_cells) own.push_back(vorticity_[index(c)]);
  return own;
}

ShallowWater::Integrals ShallowWater::integrals(State& state) {
  exchange_and_diagnose(state);
  const grid::Grid& g = part_.grid;
  Integrals own;
  for (std::size_t v = 0; v < index(part_.own_vertices); ++v) {
    const double h = state.height[v], b = bottom_[v];
    const double kinetic = bernoulli_[v] - planet_.gravity * (h + b);
    own.mass += h * g.dual_area[v];
    own.energy += g.dual_area[v] * (h * kinetic + planet_.gravity * h * (0.5 * h + b));
  }
  for (const std::int32_t cell : part_.own_cells) {
    const std::size_t c = index(cell);
    own.potential_enstrophy += 0.5 * g.cell_area[c] * q_[c] * (vorticity_[c] + coriolis_[c]);
  }
  return own;
}

}  // namespace igcm::model
