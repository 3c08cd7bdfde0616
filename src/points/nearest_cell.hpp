// The nearest of a list of cells: for curvilinear grids and meshes, whole or the part of one rank.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tailrace::points {

struct Candidate {
  double distance = std::numeric_limits<double>::infinity();  // squared
  std::int64_t cell = -1;                                     // -1: there is none
  // Cells at the same distance are ordered by their number.
  bool is_before(const Candidate& other) const {
    return distance < other.distance ||
           (distance == other.distance && cell >= 0 && (other.cell < 0 || cell < other.cell));
  }
};

// The place in a space in which straight distances order cells: on the unit sphere, or in a plane if
// `longitude` is -1. Otherwise `longitude` is the index of the longitude; the other number is a latitude.
// Both are in degrees. NaN, which is next to nothing, for a cell without a place: one of the numbers is not
// finite, or the latitude is beyond the poles.
std::array<double, 3> position_of(const std::array<double, 2>& place, int longitude);

class CellSearch {
 public:
  // `longitude` is that of position_of().
  CellSearch(std::array<std::span<const double>, 2> at, int longitude);
  // Candidate::cell is an index into the values that were given.
  Candidate nearest(const std::array<double, 2>& place) const;

 private:
  using Point = std::array<double, 3>;

  int longitude_;
  std::vector<Point> points_;
};

// The range of the coordinates of cells; those that are not finite do not count.
struct Reach {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(std::span<const double> values);
  // True if a place is in the range, or outside by no more than the size of one of so many cells.
  bool holds(double place, std::int64_t cells, bool turns) const;
};

}  // namespace tailrace::points
