// Linear interpolation with the formula of numpy.interp.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace tailrace::analytics::operators {

// The value at `x` between x0 and x1, in either order; exact at the ends.
inline double between(double x, double x0, double f0, double x1, double f1) {
  if (x == x0) return f0;
  if (x == x1) return f1;
  const bool rising = x0 < x1;
  const double slope = (f1 - f0) / (x1 - x0);
  return rising ? slope * (x - x0) + f0 : slope * (x - x1) + f1;
}

// Strictly increasing or strictly decreasing.
inline bool monotonic(std::span<const double> values) {
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(values[i] != values[i - 1]) || (values[i] > values[i - 1]) != (values[1] > values[0])) return false;
  return true;
}

}  // namespace tailrace::analytics::operators
