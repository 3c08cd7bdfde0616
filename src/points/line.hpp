// The cells along one coordinate, and the cells next to a place on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "points/reduction.hpp"

namespace tailrace::points {

// Why no places can be found along the coordinate, if so: its values do not strictly increase or decrease.
// Those of a longitude (`turns`), which repeats after 360 degrees, may jump by 360 degrees.
std::optional<std::string> line_complaint(const model::Coordinate& coordinate, bool turns);

class Line {
 public:
  // REQUIRES: line_complaint() has none.
  Line(const model::Coordinate& coordinate, bool turns);

  // The nearest cell (of two at the same distance, the one with the higher coordinate). Empty outside.
  Shares nearest(double place) const;
  // The two cells around the place with their weights, or one cell if the place is on it. Empty outside.
  Shares between(double place) const;

  // The range in which nearest() or between() finds cells.
  struct Limits {
    double low, high;
  };
  Limits edges() const { return edges_; }      // of nearest()
  Limits centres() const { return centres_; }  // of between()
  bool is_ring() const { return ring_; }       // the cells go around the globe: no longitude is outside

 private:
  double turned(double place, double low) const;
  void find_edges(const model::Coordinate& coordinate);
  double beside(double centre, double given, const model::Coordinate& coordinate, std::size_t bound) const;

  std::vector<double> values_;  // of a longitude, without jumps
  bool turns_;
  bool ring_ = false;
  Limits edges_{}, centres_{};
};

}  // namespace tailrace::points
