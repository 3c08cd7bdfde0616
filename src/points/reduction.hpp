// Values at points of a plane, each the weighted sum of a few cells.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analytics/operator.hpp"

namespace tailrace::points {

// `cell` is a number in C order over the dims of the plane.
struct Share {
  std::int64_t cell = 0;
  double weight = 1.0;
  bool operator==(const Share&) const = default;
};
using Shares = std::vector<Share>;  // of one point

// Adds the dimension of points in front. Throws CallProblem if there is one of this name.
void put_first(analytics::Shape& shape, const std::string& dim, std::int64_t count);

struct Points {
  std::string dim;            // the new one, which comes first
  analytics::Dims plane;      // consumed; in the order of the argument's dims
  std::vector<Shares> cells;  // of each point, at least one
};

// A reduction that expressions cannot call. Only the cells that are needed travel to its root. If one of the
// cells of a point is missing, its value is missing.
std::shared_ptr<const analytics::Reduction> make_reduction(Points points);

// Points whose cells change with time. A point without cells is missing.
struct MovingPoints {
  std::string dim;
  std::int64_t count = 0;
  analytics::Dims plane;
  std::function<std::vector<Shares>(double seconds)> cells_at;  // by point; called from several threads
};
std::shared_ptr<const analytics::Reduction> make_reduction(MovingPoints points);

}  // namespace tailrace::points
