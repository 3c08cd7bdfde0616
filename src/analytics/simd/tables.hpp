// The kernels of each level, compiled from the same source, loops.inc.
#pragma once

#include "analytics/simd/kernels.hpp"

namespace tailrace::analytics::simd {

const Kernels& portable_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

}  // namespace tailrace::analytics::simd
