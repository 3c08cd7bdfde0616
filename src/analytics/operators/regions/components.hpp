// Connected components of a whole array; cells that share a face are neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analytics/operator.hpp"

namespace tailrace::analytics::operators::regions {

struct Components {
  std::vector<std::int64_t> labels;  // by cell; 0: outside of all regions
  std::int64_t count = 0;            // labels are 1..count, in C order of the regions' first cells
};

struct Topology {
  std::vector<std::int64_t> extents;
  std::vector<bool> periodic;  // the last cell along the dimension is a neighbour of the first

  // visit(neighbour cell, dimension, -1 or +1)
  template <class Visit>
  void neighbours(std::int64_t cell, Visit&& visit) const {
    std::int64_t step = 1;
    for (std::size_t d = extents.size(); d-- > 0;) {
      const std::int64_t index = cell / step % extents[d];
      const std::int64_t around = (extents[d] - 1) * step;
      if (index > 0) visit(cell - step, d, -1);
      if (index + 1 < extents[d]) visit(cell + step, d, 1);
      if (periodic[d] && index == 0 && extents[d] > 1) visit(cell + around, d, -1);
      if (periodic[d] && index + 1 == extents[d] && extents[d] > 1) visit(cell - around, d, 1);
      step *= extents[d];
    }
  }
};

// Whether a cell is in a region: its value is neither 0 nor NaN.
bool inside(double value);
Components components_of(std::span<const double> condition, const Topology& topology);

// The dimensions that a call consumes, and which of them are periodic (its parameter `periodic`: "x, y").
Topology topology_of(const Call& call);

}  // namespace tailrace::analytics::operators::regions
