#include "analytics/simd/includes.hpp"

namespace tailrace::analytics::simd {

namespace {
constexpr int vector_bytes = 16;
#include "analytics/simd/loops.inc"
}  // namespace

const Kernels& portable_kernels() { return table; }

}  // namespace tailrace::analytics::simd
