// The points of the icosahedral grid on the unit sphere: recursive bisection, and relaxations that even it
// out.
#pragma once

#include <vector>

#include "diamonds.hpp"
#include "vec3.hpp"

namespace igcm::grid {

enum class Relaxation {
  none,
  spring,     ///< springs along the arcs, at rest (Tomita et al. 2001, 2002)
  centroidal  ///< each point is the centroid of its Voronoi polygon (Lloyd's method; Du et al. 2003)
};

struct PointOptions {
  int root = 2;        ///< n of RnBk: divisions of an edge of the icosahedron at first
  int bisections = 4;  ///< k of RnBk
  Relaxation relaxation = Relaxation::none;
  int iterations =
      100;  ///< of the relaxation, at each level: the bisection of a relaxed grid is nearly relaxed
  double spring_length =
      0.4;  ///< beta of Tomita et al.: length of springs at rest, by the mean spacing 2 pi / (5 N)
  unsigned threads = 1;
  int side() const { return root << bisections; }  ///< N
};

/// In the order of Diamonds::row_major, for N = options.side(). One corner of the icosahedron is the north
/// pole, the W corner of diamond 0 has longitude 0. The bits do not depend on the number of threads. Memory:
/// 30 bytes a point, with a relaxation 72.
std::vector<Vec3> make_points(const PointOptions& options);

}  // namespace igcm::grid
