#include "points/line.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "model/axis.hpp"

namespace tailrace::points {
namespace {

constexpr double circle = 360.0;
constexpr double rounding = 1e-9;  // relative to the spacing: the error of a computed edge

}  // namespace

std::optional<std::string> line_complaint(const model::Coordinate& coordinate, bool turns) {
  if (turns && model::unrolled(coordinate.values)) return std::nullopt;
  return model::axis_complaint(coordinate.values);
}

Line::Line(const model::Coordinate& coordinate, bool turns) : values_(coordinate.values), turns_(turns) {
  if (turns && model::axis_complaint(values_)) values_ = *model::unrolled(values_);
  const auto [least, largest] = std::ranges::minmax(values_);
  centres_ = {least, largest};
  find_edges(coordinate);
  double gap = 0.0;
  for (std::size_t i = 1; i < values_.size(); ++i) gap = std::max(gap, std::abs(values_[i] - values_[i - 1]));
  ring_ = turns && values_.size() > 1 && circle - (largest - least) <= 1.5 * gap;
}

// Without bounds, cells end halfway between their centres; the outermost cells are symmetric.
void Line::find_edges(const model::Coordinate& coordinate) {
  edges_ = centres_;
  if (coordinate.bounds.size() == 2 * values_.size() && !values_.empty()) {
    for (std::size_t i = 0; i < coordinate.bounds.size(); ++i) {
      const double edge = beside(values_[i / 2], coordinate.values[i / 2], coordinate, i);
      edges_ = {std::min(edges_.low, edge), std::max(edges_.high, edge)};
    }
  } else if (const std::size_t n = values_.size(); n > 1) {
    double at_first = 0.5 * std::abs(values_[1] - values_[0]);
    double at_last = 0.5 * std::abs(values_[n - 1] - values_[n - 2]);
    if (values_[0] > values_[1]) std::swap(at_first, at_last);
    edges_ = {centres_.low - at_first * (1 + rounding), centres_.high + at_last * (1 + rounding)};
  }
}

// A bound of a cell, next to the cell's centre in values_: [330, 30] around 0 is [-30, 30], and around 360
// [330, 390].
double Line::beside(double centre, double given, const model::Coordinate& coordinate,
                    std::size_t bound) const {
  const double one = coordinate.bounds[bound / 2 * 2], other = coordinate.bounds[bound / 2 * 2 + 1];
  const bool is_within = given >= std::min(one, other) && given <= std::max(one, other);
  const double distance = coordinate.bounds[bound] - given;
  return centre + (turns_ && !is_within ? std::remainder(distance, circle) : distance);
}

// The same longitude in [low, low + 360).
double Line::turned(double place, double low) const {
  return turns_ ? place - circle * std::floor((place - low) / circle) : place;
}

Shares Line::nearest(double place) const {
  const double x = turned(place, edges_.low);
  if (!ring_ && (x < edges_.low || x > edges_.high)) return {};
  const auto distance = [&](double value) {
    return std::abs(turns_ ? std::remainder(value - x, circle) : value - x);
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < values_.size(); ++i) {
    const double one = distance(values_[i]), other = distance(values_[best]);
    if (one < other || (one == other && values_[i] > values_[best])) best = i;
  }
  return {{static_cast<std::int64_t>(best), 1.0}};
}

Shares Line::between(double place) const {
  const double x = turned(place, centres_.low);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (values_[i] == x) return {{index, 1.0}};
    if (i == 0 || (values_[i - 1] < x) != (x < values_[i])) continue;
    const double second = (x - values_[i - 1]) / (values_[i] - values_[i - 1]);
    return {{index - 1, 1.0 - second}, {index, second}};
  }
  if (!ring_) return {};
  const std::int64_t last = std::ssize(values_) - 1;
  const bool rises = values_.front() < values_.back();
  const double share = (x - centres_.high) / (centres_.low + circle - centres_.high);
  return {{rises ? last : 0, 1.0 - share}, {rises ? 0 : last, share}};
}

}  // namespace tailrace::points
