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

// In a space where the straight distance says what is nearer: on the unit sphere, or, where `longitude` is
// -1, in a plane. Else `longitude` is the number of the coordinate that is one, in degrees; the other is a
// latitude.
std::array<double, 3> position_of(const std::array<double, 2>& place, int longitude);

class CellSearch {
 public:
  // `longitude`: as of position_of.
  CellSearch(std::array<std::span<const double>, 2> at, int longitude);
  // `cell` counts the values that were given.
  Candidate nearest(const std::array<double, 2>& place) const;

 private:
  using Point = std::array<double, 3>;

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
