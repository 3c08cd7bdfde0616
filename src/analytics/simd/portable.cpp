#include "analytics/simd/includes.hpp"

namespace tailrace::analytics::simd {

namespace {
constexpr int vector_bytes = 16;
#if defined(__x86_64__)
#define TAILRACE_VECTOR_SQRT _mm_sqrt_pd
#endif
#include "analytics/simd/loops.inc"
}  // namespace

const Kernels& portable_kernels() { return table; }

}  // namespace tailrace::analytics::simd
