// Extremes of rows, at the speed of the memory. NaN is left out and counted; a zero is +0 whatever the signs
// of the zeros; so no result depends on an order. Rows may lie at any address.
#pragma once

#include <cstddef>
#include <span>

#include "analytics/simd/kernels.hpp"

namespace tailrace::analytics::simd {

using RowExtreme = Extreme;  // value, missing

// Without a number: +infinity of row_min, -infinity of row_max.
RowExtreme row_min(std::span<const double> values);
RowExtreme row_max(std::span<const double> values);

// into[i] becomes the lower (higher) of itself and values[i]; stays where that is NaN. into[i] must not be
// NaN.
void cells_min(std::span<double> into, std::span<const double> values);
void cells_max(std::span<double> into, std::span<const double> values);

}  // namespace tailrace::analytics::simd
