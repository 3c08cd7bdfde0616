// The nearest of cells that are given one by one: of curvilinear grids and meshes, whole or a rank's part.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tailrace::plan::stations {

struct Candidate {
  double distance = std::numeric_limits<double>::infinity();  // its square
  std::int64_t cell = -1;                                     // -1: there is none
  // Of two that are equally near, the first one.
  bool is_before(const Candidate& other) const {
    return distance < other.distance ||
           (distance == other.distance && cell >= 0 && (other.cell < 0 || cell < other.cell));
  }
};

class CellSearch {
 public:
  // `longitude`: which of the coordinates, 0 or 1, is one in degrees, and the other a latitude: distances are
  // then those on the sphere. Else (-1) they lie in a plane.
  CellSearch(std::array<std::span<const double>, 2> at, int longitude);
  // `cell` counts the values that were given.
  Candidate nearest(const std::array<double, 2>& place) const;

 private:
  using Point = std::array<double, 3>;
  Point point(const std::array<double, 2>& place) const;

  int longitude_;
  std::vector<Point> points_;
};

// How far the coordinates of cells reach.
struct Reach {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(std::span<const double> values);
  // Whether a place is within them, or no farther outside than a cell may be, of which there are so many.
  bool holds(double place, std::int64_t cells, bool turns) const;
};

}  // namespace tailrace::plan::stations
