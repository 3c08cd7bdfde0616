#include "points/nearest_cell.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/index.hpp"

namespace tailrace::points {

// Chords have the same order as distances along the sphere.
std::array<double, 3> position_of(const std::array<double, 2>& place, int longitude) {
  if (longitude < 0) return {place[0], place[1], 0.0};
  constexpr double degree = std::numbers::pi / 180.0;
  const double east = degree * place[base::index(longitude)];
  const double latitude = place[base::index(1 - longitude)];
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), pole = 90.0 * (1.0 + 1e-6);
  if (!(std::abs(latitude) <= pole)) return {nan, nan, nan};
  const double north = degree * latitude;
  return {std::cos(north) * std::cos(east), std::cos(north) * std::sin(east), std::sin(north)};
}

CellSearch::CellSearch(std::array<std::span<const double>, 2> at, int longitude) : longitude_(longitude) {
  for (std::size_t i = 0; i < at[0].size(); ++i)
    points_.push_back(position_of({at[0][i], at[1][i]}, longitude));
}

Candidate CellSearch::nearest(const std::array<double, 2>& place) const {
  const Point here = position_of(place, longitude_);
  Candidate best;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double x = points_[i][0] - here[0], y = points_[i][1] - here[1], z = points_[i][2] - here[2];
    const double distance = x * x + y * y + z * z;
    if (distance < best.distance) best = {distance, static_cast<std::int64_t>(i)};
  }
  return best;
}

void Reach::add(std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
}

bool Reach::holds(double place, std::int64_t cells, bool turns) const {
  const double room = 0.5 * (high - low) / std::sqrt(static_cast<double>(cells));
  if (turns) place -= 360.0 * std::floor((place - (low - room)) / 360.0);
  return place >= low - room && place <= high + room;
}

}  // namespace tailrace::points
