// Opcodes that the C library computes, a number at a time: its results are the same wherever a number stands
// in a row, which those of vector libraries are not.
#pragma once

#include "analytics/simd/kernels.hpp"

namespace tailrace::analytics::program {

simd::Elementwise function_for(Opcode opcode, const simd::Kernels& kernels);

}  // namespace tailrace::analytics::program
