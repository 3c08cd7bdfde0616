// The hot loops, compiled for each level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analytics/opcodes.hpp"
#include "analytics/simd/level.hpp"

namespace tailrace::analytics::simd {

// An operand: number i is data[i * step], with step 0 or 1. Need not be aligned. The cells at distance
// `ahead` are needed soon and are prefetched, so that the memory is not idle while registers are processed;
// the address need not be valid.
struct Operand {
  const double* data = nullptr;
  std::size_t step = 1;
  std::size_t ahead = 0;
};

// out[i] of an opcode's arguments, i in [0, n). `out` may be the data of an argument.
using Elementwise = void (*)(const Operand* arguments, double* out, std::size_t n);

struct Extreme {
  double value;  // of values that are not NaN; if there are none, the infinity that any number replaces
  std::size_t missing;  // number of NaN
};

struct Kernels {
  // For exact sums (exact_sum/bins.hpp): to deposit a number in a sum is to split it into its digits and add
  // each to its bin. Sums the digits of values[0..n), n <= 4096, in the three bins with these bases, stores
  // the sums in digits[0..2] and returns the largest magnitude. If that is NaN or not below the limit of the
  // highest bin, the digits are meaningless.
  double (*deposit)(const double* values, std::size_t n, const double* bases, std::int64_t* digits);
  // Deposits values[i] in the three bins of sum i while they are below the sum's limit; a sum with the limit
  // NaN accepts any value. Returns the number of deposited values: n, or the index of the first that does not
  // fit.
  std::size_t (*deposit_each)(const double* values, std::size_t n, double* high, double* middle, double* low,
                              const double* limits);
  // The largest magnitude of n values; infinity if one is infinite or NaN; 0 for n = 0.
  double (*largest)(const double* values, std::size_t n);

  // See row_kernels.hpp.
  Extreme (*row_min)(const double* values, std::size_t n);
  Extreme (*row_max)(const double* values, std::size_t n);
  void (*cells_min)(double* into, const double* values, std::size_t n);
  void (*cells_max)(double* into, const double* values, std::size_t n);
  double (*plain_sum)(const double* values, std::size_t n);  // the reference for measurements

  // Null for opcodes that the C library computes.
  Elementwise (*elementwise)(Opcode opcode);
  // Two opcodes in one pass, each rounded: a * b + c, a * b - c and c - a * b.
  Elementwise mul_add, mul_sub, sub_mul;
  // Convert numbers of other types, at any address, to float64.
  void (*from_float32)(const std::byte* from, double* into, std::size_t n);
  void (*from_int32)(const std::byte* from, double* into, std::size_t n);
  void (*from_int64)(const std::byte* from, double* into, std::size_t n);
};

const Kernels& kernels(Level level);  // must be supported

}  // namespace tailrace::analytics::simd
