// Two operators in C++: one cell by cell, one along columns that it needs whole.
#include <cmath>
#include <stdexcept>

#include "tailrace/operator.h"

namespace {

using In = std::span<const tailrace::OperatorInput>;

void wind_speed(In in, tailrace::OperatorOutput out) {
  const auto u = in[0].values();
  const auto v = in[1].values();
  for (std::size_t i = 0; i < u.size(); ++i) out.values()[i] = std::hypot(u[i], v[i]);
}

// The index along z, from 0, of the first level whose value is above the mean of its column.
void first_above_mean(In in, tailrace::OperatorOutput out) {
  const auto values = in[0].values();
  const auto levels = static_cast<std::size_t>(in[0].count()[0]);
  const std::size_t columns = values.size() / levels;
  if (levels < 2) throw std::invalid_argument("a column of one level has nothing above its mean");
  for (std::size_t c = 0; c < columns; ++c) {
    double sum = 0.0;
    for (std::size_t k = 0; k < levels; ++k) sum += values[k * columns + c];
    std::size_t k = 0;
    while (k < levels && !(values[k * columns + c] > sum / static_cast<double>(levels))) ++k;
    out.values()[c] = k < levels ? static_cast<double>(k) : NAN;
  }
}

}  // namespace

TAILRACE_OPERATOR(wind_speed)
TAILRACE_OPERATOR(first_above_mean)
