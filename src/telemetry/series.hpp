// A time series of the run in bounded memory. When it is full, neighbouring points are merged (the larger
// value stays, since peaks matter), and from then on each point has twice as many samples.
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

  // `most_points` is at least 2.
  explicit Series(std::size_t most_points = 512) : most_points_(most_points) {}
  void add(double at, double value);  // `at` never decreases
  const std::vector<Point>& points() const { return points_; }

 private:
  void halve();

  std::vector<Point> points_;
  std::size_t most_points_;
  std::size_t samples_per_point_ = 1;
  std::size_t samples_in_last_ = 0;
};

}  // namespace tailrace::telemetry
