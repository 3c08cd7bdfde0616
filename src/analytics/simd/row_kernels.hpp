// Minima and maxima of rows, at memory speed. NaN is excluded and counted, and a zero is always +0, so
// results do not depend on the order. Rows may have any address.
#pragma once

#include <cstddef>
#include <span>

#include "analytics/simd/kernels.hpp"

namespace tailrace::analytics::simd {

using RowExtreme = Extreme;  // value, missing

// Without any number, row_min gives +infinity and row_max -infinity.
RowExtreme row_min(std::span<const double> values);
RowExtreme row_max(std::span<const double> values);

// into[i] becomes the lower (higher) of itself and values[i], and is unchanged if values[i] is NaN. into[i]
// must not be NaN.
void cells_min(std::span<double> into, std::span<const double> values);
void cells_max(std::span<double> into, std::span<const double> values);

}  // namespace tailrace::analytics::simd
