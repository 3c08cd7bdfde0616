#include "shallow_water.hpp"

#include <algorithm>
#include <cmath>

namespace igcm::model {
namespace {

using grid::Vec3;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

// y = x + a k on the first n entries.
void add(Field& y, const Field& x, double a, const Field& k, std::int64_t n) {
  for (std::size_t at = 0; at < index(n); ++at) y[at] = x[at] + a * k[at];
}

bool all_own(const CGrid::Ring& ring, int degree, std::int64_t own) {
  return std::all_of(ring.begin(), ring.begin() + degree, [&](std::int32_t k) { return k >= 0 && k < own; });
}

}  // namespace

ShallowWater::ShallowWater(const Part& part, const CGrid& grid, const Planet& planet, const Mixing& mixing,
                           double tilt, Field bottom, bool generated, MPI_Comm comm)
    : grid_(grid), planet_(planet), mixing_(mixing), bottom_(std::move(bottom)), halo_(part, comm) {
  if (grid.kind == Volumes::hexagons) mixing_.divergence_damping = 0;
  const grid::Vec3 axis{-std::sin(tilt), 0, std::cos(tilt)};
  for (const grid::Vec3& corner : grid_.corner)
    coriolis_.push_back(2 * planet_.rotation * grid::dot(axis, corner));
  for (Field* at_corners : {&vorticity_, &q_}) at_corners->resize(index(grid_.corners()));
  for (Field* at_edges : {&flux_, &q_at_edges_}) at_edges->resize(index(grid_.edges()));
  for (Field* in_volumes : {&bernoulli_, &divergence_, &mass_divergence_})
    in_volumes->resize(index(grid_.volumes()));
  for (State* state : {&stage_, &change_, &sum_}) {
    state->height.resize(index(grid_.volumes()));
    state->velocity.resize(index(grid_.edges()));
  }
  if (grid.kind == Volumes::hexagons) {
    make_weights();
  } else {
    make_averages();
    make_spokes();
  }
  list_work();
  if (generated) stencils_ = std::make_unique<Stencils>(part, grid, halo_, partners_, weights_);
}

StencilFields ShallowWater::fields_of(State& state) {
  return {state.height, state.velocity, bottom_,     coriolis_,  flux_, vorticity_,
          q_,           bernoulli_,     divergence_, q_at_edges_};
}

// Walking around a volume from the edge e, w = s n (1/2 - sum of the shares of the corners that were
// passed): s and n are +1 where the normals of e and of the partner point out of the volume (Thuburn et al.
// 2009, eq. 33). Only where both volumes are here with all their edges.
void ShallowWater::make_weights() {
  const CGrid& g = grid_;
  partners_.resize(index(g.edges()));
  weights_.resize(index(g.edges()));
  for (std::size_t e = 0; e < partners_.size(); ++e) {
    partners_[e].fill(static_cast<std::int32_t>(e));
    weights_[e].fill(0);
    std::size_t next = 0;
    for (const std::int32_t volume : g.volumes_of_edge[e]) {
      if (volume < 0 || !all_own(g.edges_of_volume[index(volume)], g.degree[index(volume)], g.edges())) break;
      const std::size_t v = index(volume);
      const auto degree = index(g.degree[v]);
      const auto& ring = g.edges_of_volume[v];
      const auto begin = index(std::ranges::find(ring, static_cast<std::int32_t>(e)) - ring.begin());
      double passed = 0;
      for (std::size_t m = 1; m < degree; ++m) {
        const std::size_t k = (begin + m) % degree, corner = index(g.corners_of_volume[v][k]);
        const auto& around = g.volumes_of_corner[corner];
        passed += g.kite[corner][index(std::ranges::find(around, volume) - around.begin())] / g.area[v];
        partners_[e][next] = ring[k];
        weights_[e][next++] = g.outward[v][begin] * g.outward[v][k] * (0.5 - passed);
      }
    }
  }
}

// Lists what the tendencies of own entries need. On hexagons: q at own edges and their partners, and so at
// the ends of these, or around these; on triangles: q at the ends of own edges, and F around these. F around
// the volumes whose outflow is summed; the Bernoulli function on both sides of own edges. Averages need the
// volumes beside these too. None needs the halo where all that it reads belongs to this rank.
void ShallowWater::list_work() {
  const CGrid& g = grid_;
  using Marks = std::vector<bool>;
  Marks edge(index(g.edges())), volume(index(g.volumes())), corner(index(g.corners())), summed = volume;
  const auto mark = [](Marks& marks, const auto& numbers) {
    for (const std::int32_t k : numbers)
      if (k >= 0) marks[index(k)] = true;
  };
  const auto add_neighbours = [&](Marks& marks) {
    const Marks near = marks;
    for (std::size_t v = 0; v < near.size(); ++v)
      for (std::size_t k = 0; near[v] && k < index(g.degree[v]); ++k)
        mark(marks, g.volumes_of_edge[index(g.edges_of_volume[v][k])]);
  };
  for (std::size_t e = 0; e < index(g.own_edges); ++e) {
    edge[e] = true;
    if (g.kind == Volumes::hexagons) mark(edge, partners_[e]);
    mark(volume, g.volumes_of_edge[e]);
  }
  for (std::size_t e = 0; e < edge.size(); ++e) {
    if (!edge[e]) continue;
    q_edges_.push_back(static_cast<std::int32_t>(e));
    mark(corner, g.corners_of_edge[e]);
    if (mixing_.upwinding > 0)
      for (const std::int32_t v : g.volumes_of_edge[e]) mark(corner, g.corners_of_volume[index(v)]);
  }
  for (std::size_t v = 0; v < index(g.own_volumes); ++v) volume[v] = summed[v] = true;
  for (std::size_t c = 0; c < index(g.own_corners); ++c) corner[c] = true;  // for integrals
  if (g.kind == Volumes::triangles) {
    for (std::size_t c = 0; c < corner.size(); ++c)
      if (corner[c]) mark(edge, g.edges_of_corner[c]);
    add_neighbours(volume);
    add_neighbours(summed);
  }
  for (std::size_t v = 0; v < summed.size(); ++v)
    if (summed[v]) mark(edge, g.edges_of_volume[v]);
  const auto list = [](Work& work, const std::vector<bool>& needed, const auto& is_early) {
    for (std::size_t k = 0; k < needed.size(); ++k)
      if (needed[k]) work.all.push_back(static_cast<std::int32_t>(k));
    work.early = index(std::ranges::stable_partition(work.all, is_early).begin() - work.all.begin());
  };
  list(corners_, corner, [&](std::int32_t k) {
    const std::size_t c = index(k);
    return all_own(g.edges_of_corner[c], g.corner_degree[c], g.own_edges) &&
           all_own(g.volumes_of_corner[c], g.corner_degree[c], g.own_volumes);
  });
  list(edges_, edge, [&](std::int32_t k) {
    return k < g.own_edges && std::ranges::all_of(g.volumes_of_edge[index(k)], [&](std::int32_t v) {
             return v >= 0 && v < g.own_volumes;
           });
  });
  for (std::size_t v = 0; v < index(g.volumes()); ++v)
    if (summed[v]) mass_volumes_.push_back(static_cast<std::int32_t>(v));
  list(volumes_, volume, [&](std::int32_t k) {
    return k < g.own_volumes && all_own(g.edges_of_volume[index(k)], g.degree[index(k)], g.own_edges);
  });
}

// An average over a triangle and its neighbours that leaves linear functions as they are, since the sum of
// wall times normal around a triangle is zero: field + c div grad field. With c = area / (2 sum of wall /
// distance), a sixth of the difference to each neighbour where all sides are equal, what alternates becomes
// zero. Both sides of an edge take the mean of their c, so that the average moves nothing but from one to the
// other.
void ShallowWater::make_averages() {
  const CGrid& g = grid_;
  const auto coefficient = [&](std::int32_t v) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t e = index(g.edges_of_volume[index(v)][k]);
      sum += g.wall[e] / g.distance[e];
    }
    return g.area[index(v)] / (2 * sum);
  };
  exchanged_area_.assign(index(g.edges()), 0);
  for (std::size_t e = 0; e < exchanged_area_.size(); ++e) {
    const auto [a, b] = g.volumes_of_edge[e];
    if (a >= 0 && b >= 0)
      exchanged_area_[e] = 0.5 * (coefficient(a) + coefficient(b)) * g.wall[e] / g.distance[e];
  }
}

double ShallowWater::averaged(const Field& field, std::size_t v) const {
  const CGrid& g = grid_;
  double moved = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t e = index(g.edges_of_volume[v][k]);
    const auto& sides = g.volumes_of_edge[e];
    moved += exchanged_area_[e] * g.outward[v][k] * (field[index(sides[1])] - field[index(sides[0])]);
  }
  return field[v] + moved / g.area[v];
}

double ShallowWater::damping_of_divergence(std::size_t e) const {
  const std::size_t from = index(grid_.volumes_of_edge[e][0]), to = index(grid_.volumes_of_edge[e][1]);
  const auto alternating = [&](std::size_t v) { return divergence_[v] - averaged(divergence_, v); };
  return mixing_.divergence_damping * 0.5 * (grid_.area[from] + grid_.area[to]) *
         (alternating(to) - alternating(from));
}

// From a corner to the middle of each wall of its polygon, with the sign of the turn. A vector V has the
// components F = V n along these walls; the sum of distance times spoke times F by the area is V x k, exact
// if V is constant (Perot 2000).
void ShallowWater::make_spokes() {
  const CGrid& g = grid_;
  spokes_.resize(index(g.corners()));
  for (std::size_t c = 0; c < spokes_.size(); ++c)
    for (std::size_t k = 0; k < index(g.corner_degree[c]); ++k) {
      const std::int32_t e = g.edges_of_corner[c][k];
      if (e < 0) continue;
      const auto [a, b] = g.volumes_of_edge[index(e)];
      if (a < 0 || b < 0) continue;
      const Vec3 middle = unit(g.centre[index(a)] + g.centre[index(b)]), x = g.corner[c];
      spokes_[c][k] = (g.turn[c][k] * g.radius) * (middle - dot(middle, x) * x);
    }
  reach_.resize(index(g.own_edges));
  for (std::size_t e = 0; e < reach_.size(); ++e)
    for (std::size_t end = 0; end < 2; ++end) {
      const std::size_t c = index(g.corners_of_edge[e][end]);
      const auto& ring = g.edges_of_corner[c];
      reach_[e][end] =
          spokes_[c][index(std::ranges::find(ring, static_cast<std::int32_t>(e)) - ring.begin())];
    }
  turned_.resize(index(g.corners()));
}

// q F at corners, from the fluxes through the walls around.
void ShallowWater::turn_fluxes() {
  const CGrid& g = grid_;
  for (const std::int32_t corner : corners_.all) {
    const std::size_t c = index(corner);
    Vec3 sum;
    for (std::size_t k = 0; k < index(g.corner_degree[c]); ++k) {
      const std::size_t e = index(g.edges_of_corner[c][k]);
      sum += (g.distance[e] * flux_[e] / g.wall[e]) * spokes_[c][k];
    }
    turned_[c] = (q_[c] / g.corner_area[c]) * cross(g.corner[c], sum);
  }
}

// The adjoint brings it back to the edges (Korn and Linardakis 2018): the mean of both ends if q F is
// constant, and no work in the sum over all edges, since F times (q k x F) vanishes at every corner. Times
// the distance.
double ShallowWater::turned_at_ends(std::size_t e) const {
  const auto& ends = grid_.corners_of_edge[e];
  return -(dot(reach_[e][0], turned_[index(ends[0])]) + dot(reach_[e][1], turned_[index(ends[1])])) *
         grid_.distance[e] / grid_.wall[e];
}

template <class Compute>
void ShallowWater::for_work(const Work& work, bool early, const Compute& compute) {
  const std::size_t first = early ? 0 : work.early, last = early ? work.early : work.all.size();
  for (std::size_t k = first; k < last; ++k) compute(index(work.all[k]));
}

void ShallowWater::compute(const State& state, bool early) {
  const CGrid& g = grid_;
  const Field& h = state.height;
  const Field& u = state.velocity;
  for_work(edges_, early, [&](std::size_t e) {
    const auto& sides = g.volumes_of_edge[e];
    flux_[e] = 0.5 * (h[index(sides[0])] + h[index(sides[1])]) * u[e] * g.wall[e];
  });
  for_work(corners_, early, [&](std::size_t c) {
    double circulation = 0, depth = 0;
    for (std::size_t k = 0; k < index(g.corner_degree[c]); ++k) {
      const std::size_t e = index(g.edges_of_corner[c][k]);
      circulation += g.turn[c][k] * g.distance[e] * u[e];
      depth += g.kite[c][k] * h[index(g.volumes_of_corner[c][k])];
    }
    vorticity_[c] = circulation / g.corner_area[c];
    q_[c] = (vorticity_[c] + coriolis_[c]) / (depth / g.corner_area[c]);
  });
  for_work(volumes_, early, [&](std::size_t v) {
    double kinetic = 0, outflow = 0;
    for (std::size_t k = 0; k < index(g.degree[v]); ++k) {
      const std::size_t e = index(g.edges_of_volume[v][k]);
      kinetic += g.wall[e] * g.distance[e] * (u[e] * u[e]);
      outflow += g.outward[v][k] * g.wall[e] * u[e];
    }
    bernoulli_[v] = planet_.gravity * (h[v] + bottom_[v]) + kinetic / (4 * g.area[v]);
    divergence_[v] = outflow / g.area[v];
  });
}

void ShallowWater::exchange_and_compute(State& state) {
  if (stencils_) return stencils_->diagnose(fields_of(state), planet_.gravity);
  const std::array fields{
      HaloField{state.height.data(), grid_.kind == Volumes::hexagons ? at_vertices : at_cells},
      HaloField{state.velocity.data(), at_edges}};
  halo_.begin(fields);
  compute(state, true);
  halo_.end();
  compute(state, false);
}

// The mean over the corners of a volume.
double ShallowWater::q_in_volume(std::size_t v) const {
  const CGrid& g = grid_;
  double sum = 0;
  for (std::size_t k = 0; k < index(g.degree[v]); ++k) {
    const std::size_t c = index(g.corners_of_volume[v][k]);
    const auto& around = g.volumes_of_corner[c];
    const auto at = std::ranges::find(around, static_cast<std::int32_t>(v)) - around.begin();
    sum += g.kite[c][index(at)] * q_[c];
  }
  return sum / g.area[v];
}

// The mean of both ends, taken back by the way that the fluid passes in a part of dt.
void ShallowWater::find_q_at_edges(const State& state, double dt) {
  const CGrid& g = grid_;
  for (const std::int32_t edge : q_edges_) {
    const std::size_t e = index(edge);
    const std::size_t right = index(g.corners_of_edge[e][0]), left = index(g.corners_of_edge[e][1]);
    q_at_edges_[e] = 0.5 * (q_[right] + q_[left]);
    if (mixing_.upwinding == 0) continue;
    double turned = 0;
    for (std::size_t m = 0; m < 10; ++m) {
      const std::size_t other = index(partners_[e][m]);
      turned += weights_[e][m] * g.wall[other] * state.velocity[other];
    }
    const auto& sides = g.volumes_of_edge[e];
    const double along = (q_[left] - q_[right]) / g.wall[e];
    const double across = (q_in_volume(index(sides[1])) - q_in_volume(index(sides[0]))) / g.distance[e];
    q_at_edges_[e] -= mixing_.upwinding * dt * (state.velocity[e] * across + turned / g.distance[e] * along);
  }
}

double ShallowWater::laplacian(const Field& field, std::size_t v) const {
  const CGrid& g = grid_;
  double sum = 0;
  for (std::size_t k = 0; k < index(g.degree[v]); ++k) {
    const std::size_t e = index(g.edges_of_volume[v][k]);
    const auto& sides = g.volumes_of_edge[e];
    sum += g.outward[v][k] * g.wall[e] / g.distance[e] * (field[index(sides[1])] - field[index(sides[0])]);
  }
  return sum / g.area[v];
}

double ShallowWater::turned_by_partners(std::size_t e) const {
  const double q = q_at_edges_[e];
  double turned = 0;
  for (std::size_t m = 0; m < 10; ++m) {
    const std::size_t other = index(partners_[e][m]);
    turned += weights_[e][m] * flux_[other] * (q + q_at_edges_[other]);
  }
  return 0.5 * turned;
}

double ShallowWater::change_of_velocity(std::size_t e, double dt) const {
  const CGrid& g = grid_;
  const std::size_t from = index(g.volumes_of_edge[e][0]), to = index(g.volumes_of_edge[e][1]);
  const double force = g.kind == Volumes::hexagons
                           ? turned_by_partners(e) + bernoulli_[from] - bernoulli_[to]
                           : turned_at_ends(e) + averaged(bernoulli_, from) - averaged(bernoulli_, to) +
                                 damping_of_divergence(e) / dt;
  if (mixing_.viscosity == 0) return force / g.distance[e];
  const auto& ends = g.corners_of_edge[e];
  return force / g.distance[e] + mixing_.viscosity *  // grad div + k x grad curl
                                     ((divergence_[to] - divergence_[from]) / g.distance[e] -
                                      (vorticity_[index(ends[1])] - vorticity_[index(ends[0])]) / g.wall[e]);
}

void ShallowWater::tendencies(State& state, double dt, State& change) {
  const CGrid& g = grid_;
  exchange_and_compute(state);
  if (stencils_)
    return stencils_->tendencies(fields_of(state), mixing_.upwinding, mixing_.viscosity, dt, change.height,
                                 change.velocity);
  if (g.kind == Volumes::hexagons)
    find_q_at_edges(state, dt);
  else
    turn_fluxes();
  for (const std::int32_t volume : mass_volumes_) {
    const std::size_t v = index(volume);
    double outflow = 0;
    for (std::size_t k = 0; k < index(g.degree[v]); ++k) {
      const std::size_t e = index(g.edges_of_volume[v][k]);
      outflow += g.outward[v][k] * flux_[e];
    }
    mass_divergence_[v] = outflow / g.area[v];
  }
  const bool average = g.kind == Volumes::triangles;
  for (std::size_t v = 0; v < index(g.own_volumes); ++v) {
    change.height[v] = -(average ? averaged(mass_divergence_, v) : mass_divergence_[v]);
    if (mixing_.viscosity > 0) change.height[v] += mixing_.viscosity * laplacian(state.height, v);
  }
  for (std::size_t e = 0; e < index(g.own_edges); ++e) change.velocity[e] = change_of_velocity(e, dt);
}

void ShallowWater::advance(State& state, double dt) {
  const auto combine = [&](State& to, const State& from, double factor) {
    add(to.height, from.height, factor, change_.height, grid_.own_volumes);
    add(to.velocity, from.velocity, factor, change_.velocity, grid_.own_edges);
  };
  tendencies(state, dt, change_);
  combine(sum_, state, dt / 6);
  combine(stage_, state, dt / 2);
  tendencies(stage_, dt, change_);
  combine(sum_, sum_, dt / 3);
  combine(stage_, state, dt / 2);
  tendencies(stage_, dt, change_);
  combine(sum_, sum_, dt / 3);
  combine(stage_, state, dt);
  tendencies(stage_, dt, change_);
  combine(state, sum_, dt / 6);
}

void ShallowWater::diagnose(State& state) { exchange_and_compute(state); }

ShallowWater::Integrals ShallowWater::integrals(const State& state) const {
  const CGrid& g = grid_;
  Integrals own;
  for (std::size_t v = 0; v < index(g.own_volumes); ++v) {
    const double h = state.height[v], b = bottom_[v];
    const double kinetic = bernoulli_[v] - planet_.gravity * (h + b);
    own.mass += h * g.area[v];
    own.energy += g.area[v] * (h * kinetic + planet_.gravity * h * (0.5 * h + b));
  }
  for (std::size_t c = 0; c < index(g.own_corners); ++c)
    own.potential_enstrophy += 0.5 * g.corner_area[c] * q_[c] * (vorticity_[c] + coriolis_[c]);
  return own;
}

}  // namespace igcm::model
