// Values at points of a plane, such as stations, each made of a few cells of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analytics/operator.hpp"

namespace tailrace::analytics::points {

// `cell` counts in C order over the dims of the plane.
struct Share {
  std::int64_t cell = 0;
  double weight = 1.0;
  bool operator==(const Share&) const = default;
};
using Shares = std::vector<Share>;  // of one point; at least one

// The dimension of points in a result; throws CallProblem where there is one of this name.
void put_first(Shape& shape, const std::string& dim, std::int64_t count);

struct Points {
  std::string dim;            // the new one, which comes first
  Dims plane;                 // consumed; in the order of the argument's dims
  std::vector<Shares> cells;  // of each point
};

// A reduction that no expression can call. Only these cells are sent to its root. A point is missing where
// one of its cells is.
std::shared_ptr<const Reduction> make_operator(Points points);

// Points whose cells change with time; a point without cells is missing.
struct MovingPoints {
  std::string dim;
  std::int64_t count = 0;
  Dims plane;
  std::function<std::vector<Shares>(double seconds)> cells_at;  // by point; called from several threads
};
std::shared_ptr<const Reduction> make_operator(MovingPoints points);

}  // namespace tailrace::analytics::points
