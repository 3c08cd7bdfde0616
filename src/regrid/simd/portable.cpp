#include "analytics/simd/includes.hpp"
#include "analytics/simd/level.hpp"
#include "regrid/simd/sums.hpp"

namespace tailrace::regrid::simd {

namespace {
constexpr int vector_bytes = 16;
// clang-format off
#include "analytics/simd/vector.inc"
#include "regrid/simd/sums.inc"
// clang-format on
}  // namespace

const Table& portable_sums() { return table; }

const Table& best_sums() {
  static const Table& best = []() -> const Table& {
    switch (analytics::simd::level()) {
#if defined(__x86_64__)
      case analytics::simd::Level::avx512: return avx512_sums();
      case analytics::simd::Level::avx2: return avx2_sums();
#endif
      default: return portable_sums();
    }
  }();
  return best;
}

}  // namespace tailrace::regrid::simd
