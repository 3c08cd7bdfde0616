// The ten diamonds of the icosahedron: which place is beside which, across their edges and around the poles.
//
// As in NICAM (Tomita and Satoh 2004): diamonds 0..4 are northern, 5..9 southern (NICAM counts from
// 1). A diamond owns N x N points (i, j), i, j = 0..N-1, from its W corner (0, 0); i grows to the S corner, j
// to the N corner. Its axes stand at 120 degrees, so a point has the neighbours, counter-clockwise seen from
// outside, (i+1,j) (i+1,j+1) (i,j+1) (i-1,j) (i-1,j-1) (i,j-1). The poles belong to no diamond. Every W
// corner is one of the ten pentagons that are no poles: its neighbours (i-1,j-1) and (i,j-1) are the same
// point.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace igcm::grid {

/// A point of the grid. A pole has diamond 10 (north) or 11 (south), and i = j = 0.
struct Place {
  int diamond = 0, i = 0, j = 0;
  bool is_pole() const { return diamond >= 10; }
  friend bool operator==(const Place&, const Place&) = default;
};

/// Steps from a point to the three neighbours whose arcs it owns; NICAM calls these arcs AI, AIJ, AJ.
inline constexpr std::array<std::array<int, 2>, 3> arc_steps{{{1, 0}, {1, 1}, {0, 1}}};
enum Arc : int { AI = 0, AIJ = 1, AJ = 2 };
/// Triangles of a point: TI = (i,j) (i+1,j) (i+1,j+1), TJ = (i,j) (i+1,j+1) (i,j+1).
enum Triangle : int { TI = 0, TJ = 1 };

/// A triangle or an arc: the point that owns it, and which of its own it is.
struct Owned {
  Place owner;
  int which = 0;
};

/// The neighbours, arcs and triangles of a point, counter-clockwise seen from outside: cells[k] lies between
/// vertices[k-1] and vertices[k].
struct Surroundings {
  int degree = 6;
  std::array<Place, 6> vertices;
  std::array<Owned, 6> edges;  // to vertices[k]
  std::array<Owned, 6> cells;
};

class Diamonds {
 public:
  static constexpr Place north_pole{10, 0, 0}, south_pole{11, 0, 0};

  /// side: N, the divisions of an edge of the icosahedron, at least 1.
  explicit Diamonds(int side) : side_(side) {}

  int side() const { return side_; }
  std::int64_t points() const { return 10 * std::int64_t{side_} * side_ + 2; }

  /// Position of a point in an array (diamond, j, i) with the poles behind.
  std::int64_t row_major(Place p) const {
    const std::int64_t n = side_;
    return p.is_pole() ? 10 * n * n + p.diamond - 10 : (p.diamond * n + p.j) * n + p.i;
  }
  Place place_at(std::int64_t row_major) const;

  /// The point (i, j) in the frame of a diamond, -N <= i, j <= 2N, as its owner knows it. Beyond a corner
  /// where five triangles meet there is a wedge less than the frame has: its points are answered twice. So
  /// (-1, -1) at a W corner is the same point as (0, -1).
  Place resolve(int diamond, int i, int j) const;
  Place step(Place p, std::array<int, 2> by) const { return resolve(p.diamond, p.i + by[0], p.j + by[1]); }

  std::array<Place, 2> ends_of(Owned arc) const { return {arc.owner, step(arc.owner, arc_steps[arc.which])}; }
  std::array<Place, 3> corners_of(Owned triangle) const;
  /// Edge k joins the corners k and k+1.
  std::array<Owned, 3> edges_of(Owned triangle) const;
  /// The triangle on the left and that on the right of an arc, walking from its owner.
  std::array<Owned, 2> sides_of(Owned arc) const;
  Surroundings around(Place p) const;
  /// The arc between two neighbours, and the triangle of three; nothing if they are none.
  std::optional<Owned> find_arc(Place a, Place b) const;
  std::optional<Owned> find_triangle(Place a, Place b, Place c) const;

 private:
  Owned left_of_aj(Place p) const;   // TI(i-1, j)
  Owned right_of_ai(Place p) const;  // TJ(i, j-1)
  Surroundings around_pole(Place p) const;

  int side_;
};

/// Neighbour diamonds across SW, NW, NE, SE.
enum Side : int { SW, NW, NE, SE };
int neighbour_of(int diamond, Side side);

}  // namespace igcm::grid
