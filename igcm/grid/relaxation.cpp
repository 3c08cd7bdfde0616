#include "relaxation.hpp"

#include <numbers>

#include "parallel.hpp"

namespace igcm::grid {
namespace {

using Ring = std::array<Vec3, 6>;

// Sum of the forces of springs of constant 1, along the tangents; positive where a spring is stretched.
Vec3 spring_force(Vec3 p, const Ring& ring, int degree, double rest) {
  Vec3 force;
  for (int k = 0; k < degree; ++k) {
    const Vec3 chord = ring[k] - p;
    force += (distance(p, ring[k]) - rest) * unit(chord - dot(chord, p) * p);
  }
  return force;
}

// From the point to the centroid of its Voronoi polygon, whose corners are circumcentres.
Vec3 to_centroid(Vec3 p, const Ring& ring, int degree) {
  Ring corners;
  for (int k = 0; k < degree; ++k) corners[k] = circumcentre(p, ring[k], ring[(k + 1) % degree]);
  Vec3 moment;
  for (int k = 0; k < degree; ++k) {
    const Vec3 a = corners[k], b = corners[(k + 1) % degree];
    moment += triangle_area(p, a, b) * (p + a + b);
  }
  return unit(moment) - p;
}

}  // namespace

void relax(const Diamonds& diamonds, const PointOptions& options, std::vector<Vec3>& points) {
  // Heavy-ball iteration: it reaches the long waves in O(N) steps where plain steps need O(N^2).
  constexpr double momentum = 0.9;
  const bool spring = options.relaxation == Relaxation::spring;
  const double pace = spring ? 0.25 : 1.0;
  const double rest = options.spring_length * 2 * std::numbers::pi / (5 * diamonds.side());
  std::vector<Vec3> next(points.size()), speed(points.size());
  const auto move = [&](std::int64_t at) {
    const Surroundings around = diamonds.around(diamonds.place_at(at));
    const Vec3 p = points[at];
    next[at] = p;
    if (around.degree == 5) return;
    Ring ring;
    for (int k = 0; k < around.degree; ++k) ring[k] = points[diamonds.row_major(around.vertices[k])];
    const Vec3 pull =
        spring ? spring_force(p, ring, around.degree, rest) : to_centroid(p, ring, around.degree);
    speed[at] = momentum * speed[at] + pace * pull;
    next[at] = unit(p + speed[at]);
  };
  for (int step = 0; step < options.iterations; ++step) {
    parallel_for(0, diamonds.points(), options.threads, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t at = first; at < last; ++at) move(at);
    });
    points.swap(next);
  }
}

}  // namespace igcm::grid
