#include "analytics/program/library.hpp"

#include <cmath>

#include "base/error.hpp"

namespace tailrace::analytics::program {

namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

template <Unary function>
void one(const simd::Operand* arguments, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = function(arguments[0].data[i * arguments[0].step]);
}

template <Binary function>
void two(const simd::Operand* arguments, double* out, std::size_t n) {
  // The results may overwrite an argument that is constant along the piece.
  const double first_a = *arguments[0].data, first_b = *arguments[1].data;
  const double* const a = arguments[0].step ? arguments[0].data : &first_a;
  const double* const b = arguments[1].step ? arguments[1].data : &first_b;
  for (std::size_t i = 0; i < n; ++i) out[i] = function(a[i * arguments[0].step], b[i * arguments[1].step]);
}

simd::Elementwise library_function(Opcode opcode) {
  switch (opcode) {
    case Opcode::cbrt: return one<std::cbrt>;
    case Opcode::exp: return one<std::exp>;
    case Opcode::expm1: return one<std::expm1>;
    case Opcode::log: return one<std::log>;
    case Opcode::log10: return one<std::log10>;
    case Opcode::log2: return one<std::log2>;
    case Opcode::log1p: return one<std::log1p>;
    case Opcode::sin: return one<std::sin>;
    case Opcode::cos: return one<std::cos>;
    case Opcode::tan: return one<std::tan>;
    case Opcode::asin: return one<std::asin>;
    case Opcode::acos: return one<std::acos>;
    case Opcode::atan: return one<std::atan>;
    case Opcode::sinh: return one<std::sinh>;
    case Opcode::cosh: return one<std::cosh>;
    case Opcode::tanh: return one<std::tanh>;
    case Opcode::mod: return two<std::fmod>;
    case Opcode::pow: return two<std::pow>;
    case Opcode::atan2: return two<std::atan2>;
    case Opcode::hypot: return two<std::hypot>;
    default: break;
  }
  base::assertion_failed("opcode", __FILE__, __LINE__, "no loop for this opcode");
}

}  // namespace

simd::Elementwise function_for(Opcode opcode, const simd::Kernels& kernels) {
  const simd::Elementwise loop = kernels.elementwise(opcode);
  return loop ? loop : library_function(opcode);
}

}  // namespace tailrace::analytics::program
