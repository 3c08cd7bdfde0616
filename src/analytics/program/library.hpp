// Opcodes that the C library computes, one number at a time. Its results do not depend on a number's position
// in a row, unlike those of vector libraries.
#pragma once

#include "analytics/simd/kernels.hpp"

namespace tailrace::analytics::program {

simd::Elementwise function_for(Opcode opcode, const simd::Kernels& kernels);

}  // namespace tailrace::analytics::program
