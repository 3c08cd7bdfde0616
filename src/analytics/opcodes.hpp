// The arithmetic operations of programs, all on float64, with NumPy's results for NaN, infinities and signed
// zeros. Comparisons and logic give 1.0 or 0.0; any number except 0 counts as true, also NaN, as in NumPy.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/index.hpp"

namespace tailrace::analytics {

enum class Opcode : int {
  // a
  neg,
  abs,
  sign,  // -1, 0, 1; NaN of NaN
  sqrt,
  cbrt,
  square,
  exp,
  expm1,
  log,
  log10,
  log2,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  floor,
  ceil,
  round,  // to the nearest integer, halves to the even one
  trunc,
  logical_not,
  isnan,
  isfinite,
  // a, b
  add,
  sub,
  mul,
  div,
  mod,  // C's fmod: the sign of a, as the quotient is truncated
  pow,
  atan2,  // of y, x
  hypot,
  minimum,  // NaN if either is, as np.minimum
  maximum,
  lt,
  le,
  gt,
  ge,
  eq,
  ne,
  logical_and,
  logical_or,
  // a, b, c
  where,  // a != 0 ? b : c; NaN counts as true
  clip,   // minimum(maximum(a, b), c)
};

struct OpcodeTraits {
  Opcode opcode;
  std::string_view name;  // as in expressions, or the operator's symbol
  std::size_t arity;
  bool commutes;  // swapping the arguments gives the same bits, except a NaN's payload
};

inline constexpr std::array opcode_traits{
    OpcodeTraits{Opcode::neg, "neg", 1, false},
    OpcodeTraits{Opcode::abs, "abs", 1, false},
    OpcodeTraits{Opcode::sign, "sign", 1, false},
    OpcodeTraits{Opcode::sqrt, "sqrt", 1, false},
    OpcodeTraits{Opcode::cbrt, "cbrt", 1, false},
    OpcodeTraits{Opcode::square, "square", 1, false},
    OpcodeTraits{Opcode::exp, "exp", 1, false},
    OpcodeTraits{Opcode::expm1, "expm1", 1, false},
    OpcodeTraits{Opcode::log, "log", 1, false},
    OpcodeTraits{Opcode::log10, "log10", 1, false},
    OpcodeTraits{Opcode::log2, "log2", 1, false},
    OpcodeTraits{Opcode::log1p, "log1p", 1, false},
    OpcodeTraits{Opcode::sin, "sin", 1, false},
    OpcodeTraits{Opcode::cos, "cos", 1, false},
    OpcodeTraits{Opcode::tan, "tan", 1, false},
    OpcodeTraits{Opcode::asin, "asin", 1, false},
    OpcodeTraits{Opcode::acos, "acos", 1, false},
    OpcodeTraits{Opcode::atan, "atan", 1, false},
    OpcodeTraits{Opcode::sinh, "sinh", 1, false},
    OpcodeTraits{Opcode::cosh, "cosh", 1, false},
    OpcodeTraits{Opcode::tanh, "tanh", 1, false},
    OpcodeTraits{Opcode::floor, "floor", 1, false},
    OpcodeTraits{Opcode::ceil, "ceil", 1, false},
    OpcodeTraits{Opcode::round, "round", 1, false},
    OpcodeTraits{Opcode::trunc, "trunc", 1, false},
    OpcodeTraits{Opcode::logical_not, "not", 1, false},
    OpcodeTraits{Opcode::isnan, "isnan", 1, false},
    OpcodeTraits{Opcode::isfinite, "isfinite", 1, false},
    OpcodeTraits{Opcode::add, "+", 2, true},
    OpcodeTraits{Opcode::sub, "-", 2, false},
    OpcodeTraits{Opcode::mul, "*", 2, true},
    OpcodeTraits{Opcode::div, "/", 2, false},
    OpcodeTraits{Opcode::mod, "%", 2, false},
    OpcodeTraits{Opcode::pow, "**", 2, false},
    OpcodeTraits{Opcode::atan2, "atan2", 2, false},
    OpcodeTraits{Opcode::hypot, "hypot", 2, true},
    OpcodeTraits{Opcode::minimum, "minimum", 2, false},
    OpcodeTraits{Opcode::maximum, "maximum", 2, false},
    OpcodeTraits{Opcode::lt, "<", 2, false},
    OpcodeTraits{Opcode::le, "<=", 2, false},
    OpcodeTraits{Opcode::gt, ">", 2, false},
    OpcodeTraits{Opcode::ge, ">=", 2, false},
    OpcodeTraits{Opcode::eq, "==", 2, true},
    OpcodeTraits{Opcode::ne, "!=", 2, true},
    OpcodeTraits{Opcode::logical_and, "and", 2, true},
    OpcodeTraits{Opcode::logical_or, "or", 2, true},
    OpcodeTraits{Opcode::where, "where", 3, false},
    OpcodeTraits{Opcode::clip, "clip", 3, false},
};

inline constexpr std::size_t opcode_count = opcode_traits.size();

constexpr const OpcodeTraits& traits_of(Opcode opcode) { return opcode_traits[base::index(opcode)]; }

namespace detail {
constexpr bool opcodes_in_order() {
  for (std::size_t i = 0; i < opcode_count; ++i)
    if (opcode_traits[i].opcode != static_cast<Opcode>(i)) return false;
  return static_cast<std::size_t>(Opcode::clip) + 1 == opcode_count;
}
}  // namespace detail
static_assert(detail::opcodes_in_order(), "opcode_traits is indexed by opcode");

// The scalar reference of each opcode, used to fold constants and to test programs. Unused arguments are
// ignored.
double evaluate(Opcode opcode, double a, double b = 0.0, double c = 0.0);

}  // namespace tailrace::analytics
