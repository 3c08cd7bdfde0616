// Headers are included before the pragma, since their inline functions may be shared with files that must run
// on any processor.
#include "analytics/simd/includes.hpp"
#include "regrid/simd/sums.hpp"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace tailrace::regrid::simd {

namespace {
constexpr int vector_bytes = 32;
// clang-format off
#include "analytics/simd/vector.inc"
#include "regrid/simd/sums.inc"
// clang-format on
}  // namespace

const Table& avx2_sums() { return table; }

}  // namespace tailrace::regrid::simd

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
