#include "telemetry/series.hpp"

namespace tailrace::telemetry {
namespace {

const Series::Point& larger(const Series::Point& a, const Series::Point& b) {
  return b.value > a.value ? b : a;
}

}  // namespace

void Series::add(double at, double value) {
  if (samples_in_last_ > 0 && samples_in_last_ < samples_per_point_) {
    points_.back() = larger(points_.back(), {at, value});
    ++samples_in_last_;
    return;
  }
  if (points_.size() >= most_points_) {
    halve();
    if (samples_in_last_ < samples_per_point_) return add(at, value);
  }
  points_.push_back({at, value});
  samples_in_last_ = 1;
}

void Series::halve() {
  const std::size_t pairs = points_.size() / 2;
  for (std::size_t k = 0; k < pairs; ++k) points_[k] = larger(points_[2 * k], points_[2 * k + 1]);
  const bool single = points_.size() % 2 == 1;
  if (single) points_[pairs] = points_.back();
  points_.resize(pairs + (single ? 1 : 0));
  // The last point has the samples of one old point (half of the new capacity) or of a full pair.
  samples_in_last_ = single ? samples_per_point_ : 2 * samples_per_point_;
  samples_per_point_ *= 2;
}

}  // namespace tailrace::telemetry
