// The hot loops, once for each level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analytics/simd/level.hpp"

namespace tailrace::analytics::simd {

struct Kernels {
  // Exact sums (exact_sum/bins.hpp). Gives in digits[0..2] what values[0..n), n <= 4096, have in the three
  // bins whose bases are given, and returns the largest magnitude. Where that is NaN or does not lie below
  // the limit of the highest bin, the digits mean nothing.
  double (*deposit)(const double* values, std::size_t n, const double* bases, std::int64_t* digits);
  // values[i] into the three bins of sum i, as long as they lie below the sum's limit; a sum whose limit is
  // NaN takes anything. Returns how many were taken: all, or those before the first that does not fit.
  std::size_t (*deposit_each)(const double* values, std::size_t n, double* high, double* middle, double* low,
                              const double* limits);
  // The largest magnitude of n values; infinity where one is infinite or NaN; 0 where there are none.
  double (*largest)(const double* values, std::size_t n);
};

const Kernels& kernels(Level level);  // must be supported

}  // namespace tailrace::analytics::simd
