// A curve over the run in bounded memory: when it is full, neighbours are merged (the larger value stays,
// since peaks are what one looks for) and from then on twice as many samples go into a point.
#pragma once

#include <cstddef>
#include <vector>

namespace tailrace::telemetry {

class Series {
 public:
  struct Point {
    double at;
    double value;
  };

  // At least 2 points.
  explicit Series(std::size_t most_points = 512) : most_points_(most_points) {}
  void add(double at, double value);  // `at` never goes back
  const std::vector<Point>& points() const { return points_; }

 private:
  void halve();

  std::vector<Point> points_;
  std::size_t most_points_;
  std::size_t samples_per_point_ = 1;
  std::size_t samples_in_last_ = 0;
};

}  // namespace tailrace::telemetry
