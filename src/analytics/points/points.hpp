// Values at points of a plane, such as stations, each made of a few cells of it.
#pragma once

#include <cstdint>
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

struct Points {
  std::string dim;            // the new one, which comes first
  Dims plane;                 // consumed; in the order of the argument's dims
  std::vector<Shares> cells;  // of each point
};

// A reduction that no expression can call. Nothing but these cells travels to its root. Where one of them is
// missing the point is.
std::shared_ptr<const Reduction> make_operator(Points points);

}  // namespace tailrace::analytics::points
