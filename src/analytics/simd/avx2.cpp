// Headers are included before the pragma, since their inline functions may be shared with files that must run
// on any processor.
#include "analytics/simd/includes.hpp"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace tailrace::analytics::simd {

namespace {
constexpr int vector_bytes = 32;
#define TAILRACE_VECTOR_SQRT _mm256_sqrt_pd
#include "analytics/simd/loops.inc"
}  // namespace

const Kernels& avx2_kernels() { return table; }

}  // namespace tailrace::analytics::simd

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
