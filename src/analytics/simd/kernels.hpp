// The hot loops, once for each level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analytics/opcodes.hpp"
#include "analytics/simd/level.hpp"

namespace tailrace::analytics::simd {

// What an instruction reads: number i is data[i * step]; step is 0 or 1. Need not be aligned. What lies
// `ahead` cells further on is wanted soon and is fetched meanwhile, so that the memory does not rest while
// registers are worked on; there need not be anything.
struct Operand {
  const double* data = nullptr;
  std::size_t step = 1;
  std::size_t ahead = 0;
};

// out[i] of an opcode's arguments, i in [0, n). `out` may be the data of an argument.
using Elementwise = void (*)(const Operand* arguments, double* out, std::size_t n);

struct Extreme {
  double value;  // of those that are not NaN; the infinity that any number replaces where there are none
  std::size_t missing;  // how many are NaN
};

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

  // row_kernels.hpp.
  Extreme (*row_min)(const double* values, std::size_t n);
  Extreme (*row_max)(const double* values, std::size_t n);
  void (*cells_min)(double* into, const double* values, std::size_t n);
  void (*cells_max)(double* into, const double* values, std::size_t n);
  double (*plain_sum)(const double* values, std::size_t n);  // what others are measured against

  // Null for what the C library computes.
  Elementwise (*elementwise)(Opcode opcode);
  // Two opcodes at a time, each of them rounded: a * b + c, a * b - c and c - a * b.
  Elementwise mul_add, mul_sub, sub_mul;
  // Numbers of other types, at any address, as float64.
  void (*from_float32)(const std::byte* from, double* into, std::size_t n);
  void (*from_int32)(const std::byte* from, double* into, std::size_t n);
  void (*from_int64)(const std::byte* from, double* into, std::size_t n);
};

const Kernels& kernels(Level level);  // must be supported

}  // namespace tailrace::analytics::simd
