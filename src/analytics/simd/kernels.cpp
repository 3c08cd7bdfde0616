#include "analytics/simd/kernels.hpp"

#include "analytics/simd/tables.hpp"

namespace tailrace::analytics::simd {

const Kernels& kernels(Level level) {
  switch (level) {
#if defined(__x86_64__)
    case Level::avx512: return avx512_kernels();
    case Level::avx2: return avx2_kernels();
#endif
    default: return portable_kernels();
  }
}

}  // namespace tailrace::analytics::simd
