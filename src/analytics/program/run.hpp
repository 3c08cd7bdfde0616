// Executes a program's steps piece by piece.
#pragma once

#include <span>

#include "analytics/program.hpp"
#include "analytics/program/code.hpp"

namespace tailrace::analytics::program {

// The arguments of Program::run, by index.
struct Data {
  std::span<const Operand> sources;
  std::span<const std::span<double>> stores;
  std::span<FusiblePartial* const> sinks;
};

void run(const Code& code, const simd::Kernels& kernels, const model::Region& region, const Data& data);

}  // namespace tailrace::analytics::program
