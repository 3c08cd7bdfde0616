// Going through a program's steps piece by piece.
#pragma once

#include <span>

#include "analytics/program.hpp"
#include "analytics/program/code.hpp"

namespace tailrace::analytics::program {

void run(const Code& code, const simd::Kernels& kernels, const model::Region& region,
         std::span<const Operand> sources, std::span<const std::span<double>> stores,
         std::span<FusiblePartial* const> sinks);

}  // namespace tailrace::analytics::program
