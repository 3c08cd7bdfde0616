// Numbers of points, triangles and arcs along a space-filling curve that visits all ten diamonds without a
// jump.
#pragma once

#include <vector>

#include "diamonds.hpp"

namespace igcm::grid {

/// Number h = 0..10 N^2 - 1 of a point that a diamond owns is its position on a Hilbert curve: within a
/// diamond the generalised one of Cerveny (github.com/jakubcerveny/gilbert), from diamond to diamond zigzag
/// around the equator. The poles are behind. A point's triangles TI, TJ are 2h, 2h+1, its arcs AI, AIJ, AJ
/// are 3h, 3h+1, 3h+2. So consecutive points, with their triangles and arcs, are a compact patch of the
/// sphere. Immutable: threads may share it.
class Numbering {
 public:
  explicit Numbering(int side, unsigned threads = 1);

  const Diamonds& diamonds() const { return diamonds_; }
  /// Points that own triangles and arcs: all but the poles.
  std::int64_t rhombi() const { return diamonds_.points() - 2; }

  std::int32_t vertex(Place p) const { return number_[diamonds_.row_major(p)]; }
  std::int32_t cell(Owned triangle) const { return 2 * vertex(triangle.owner) + triangle.which; }
  std::int32_t edge(Owned arc) const { return 3 * vertex(arc.owner) + arc.which; }
  Place place(std::int32_t vertex) const { return diamonds_.place_at(row_major_[vertex]); }
  std::int64_t row_major(std::int32_t vertex) const { return row_major_[vertex]; }

 private:
  Diamonds diamonds_;
  std::vector<std::int32_t> number_, row_major_;
};

}  // namespace igcm::grid
