#include "points.hpp"

#include <numbers>

#include "parallel.hpp"
#include "relaxation.hpp"

namespace igcm::grid {
namespace {

// The grid of N = 1: W corners of northern diamonds at latitude atan(1/2), of southern ones at -atan(1/2).
std::vector<Vec3> icosahedron() {
  const double z = 1 / std::sqrt(5.0), r = 2 / std::sqrt(5.0), fifth = 2 * std::numbers::pi / 5;
  std::vector<Vec3> corners(12);
  for (int k = 0; k < 5; ++k) {
    corners[k] = {r * std::cos(fifth * k), r * std::sin(fifth * k), z};
    const int southern = 5 + (5 - k) % 5;  // 5 9 8 7 6 follow each other eastward, and 5 is to the west of 0
    const double longitude = fifth * (k - 0.5);
    corners[southern] = {r * std::cos(longitude), r * std::sin(longitude), -z};
  }
  corners[10] = {0, 0, 1};
  corners[11] = {0, 0, -1};
  return corners;
}

// m of n equal parts along the arc from a to b. From b to a, n - m of n parts have the same bits.
Vec3 between(Vec3 a, Vec3 b, int m, int n) {
  if (m == 0) return a;
  if (m == n) return b;
  const double angle = std::atan2(norm(cross(a, b)), dot(a, b));
  return unit(std::sin(angle * (n - m) / n) * a + std::sin(angle * m / n) * b);
}

// The point with the weights u, v, w (sum n) of a face: rows between two edges are divided evenly (Sadourny
// et al. 1968); the mean over the three ways to lay rows keeps the symmetry of the face.
Vec3 in_face(const std::array<Vec3, 3>& corner, std::array<int, 3> weight) {
  const int n = weight[0] + weight[1] + weight[2];
  Vec3 sum;
  for (int k = 0; k < 3; ++k) {
    const Vec3 a = corner[k], b = corner[(k + 1) % 3], c = corner[(k + 2) % 3];
    const int along_b = weight[(k + 1) % 3], along_c = weight[(k + 2) % 3], row = along_b + along_c;
    if (row == 0) return a;
    if (row == n && along_c == 0) return b;
    if (along_c == 0) return between(a, b, row, n);  // on an edge: as the face beside has it
    if (along_b == 0) return between(a, c, row, n);
    if (row == n) return between(b, c, along_c, n);
    sum += between(between(a, b, row, n), between(a, c, row, n), along_c, row);
  }
  return unit(sum);
}

std::vector<Vec3> divide_faces(int n) {
  const Diamonds coarse(1), fine(n);
  const std::vector<Vec3> corners = icosahedron();
  const auto at = [&](int diamond, int i, int j) {
    return corners[coarse.row_major(coarse.resolve(diamond, i, j))];
  };
  std::vector<Vec3> points(static_cast<std::size_t>(fine.points()));
  for (std::int64_t k = 0; k < fine.points(); ++k) {
    const auto [d, i, j] = fine.place_at(k);
    if (d >= 10)
      points[k] = corners[d];
    else if (i >= j)  // of the face TI: W, S, E
      points[k] = in_face({at(d, 0, 0), at(d, 1, 0), at(d, 1, 1)}, {n - i, i - j, j});
    else  // TJ: W, E, N
      points[k] = in_face({at(d, 0, 0), at(d, 1, 1), at(d, 0, 1)}, {n - j, i, j - i});
  }
  return points;
}

// A point of even i and j stays; any other is the middle of the arc that goes through it.
std::vector<Vec3> bisect(const Diamonds& coarse, const std::vector<Vec3>& points, unsigned threads) {
  const Diamonds fine(2 * coarse.side());
  std::vector<Vec3> finer(static_cast<std::size_t>(fine.points()));
  parallel_for(0, fine.points(), threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      const Place p = fine.place_at(k);
      const Place base{p.diamond, p.i / 2, p.j / 2};
      const Vec3 a = points[coarse.row_major(base)];
      const std::array<int, 2> step{p.i % 2, p.j % 2};
      const bool stays = step[0] == 0 && step[1] == 0;
      finer[k] = stays ? a : unit(a + points[coarse.row_major(coarse.step(base, step))]);
    }
  });
  return finer;
}

}  // namespace

std::vector<Vec3> make_points(const PointOptions& options) {
  const bool relaxed = options.relaxation != Relaxation::none;
  int side = options.root;
  std::vector<Vec3> points = divide_faces(side);
  if (relaxed) relax(Diamonds(side), options, points);
  for (int level = 0; level < options.bisections; ++level, side *= 2) {
    points = bisect(Diamonds(side), points, options.threads);
    if (relaxed) relax(Diamonds(2 * side), options, points);
  }
  return points;
}

}  // namespace igcm::grid
