// Headers are included before the pragma, since their inline functions may be shared with files that must run
// on any processor.
#include "analytics/simd/includes.hpp"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq")
#endif

namespace tailrace::analytics::simd {

namespace {
constexpr int vector_bytes = 64;
#define TAILRACE_VECTOR_SQRT(a) _mm512_maskz_sqrt_pd(0xff, a)
#include "analytics/simd/loops.inc"
}  // namespace

const Kernels& avx512_kernels() { return table; }

}  // namespace tailrace::analytics::simd

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
