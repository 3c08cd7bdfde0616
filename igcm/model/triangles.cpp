// What the triangles have of their own: averages over neighbours, and the turned flux.
#include <algorithm>

#include "shallow_water.hpp"

namespace igcm::model {
namespace {

using grid::Vec3;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

}  // namespace

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

}  // namespace igcm::model
