// Cells along one coordinate, and where between them a place lies.
#pragma once

#include <vector>

#include "analytics/points/points.hpp"
#include "model/declarations.hpp"

namespace tailrace::plan::stations {

class Line {
 public:
  // `turns`: a longitude, which begins again after 360 degrees. The coordinate is monotonic and must live
  // longer.
  Line(const model::Coordinate& coordinate, bool turns);

  // The nearest cell (of two that are equally near, that with the higher coordinate), or the two around the
  // place with their weights; none outside. A place on a cell has this one alone.
  analytics::points::Shares nearest(double place) const;
  analytics::points::Shares between(double place) const;

  // From where to where nearest() and between() find cells.
  struct Limits {
    double low, high;
  };
  Limits edges() const { return edges_; }
  Limits centres() const { return centres_; }
  bool is_ring() const { return ring_; }  // no longitude is outside

 private:
  double turned(double place, double low) const;
  void find_edges(const model::Coordinate& coordinate);

  const std::vector<double>& values_;
  bool turns_;
  bool ring_ = false;
  Limits edges_{}, centres_{};
};

}  // namespace tailrace::plan::stations
