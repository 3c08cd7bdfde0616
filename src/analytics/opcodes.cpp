#include "analytics/opcodes.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace tailrace::analytics {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double truth(bool value) { return value ? 1.0 : 0.0; }
double sign(double a) { return std::isnan(a) ? nan : truth(a > 0) - truth(a < 0); }

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return nan;
  return a < b ? a : b;
}

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return nan;
  return a > b ? a : b;
}

double unary(Opcode opcode, double a) {
  switch (opcode) {
    case Opcode::neg: return -a;
    case Opcode::abs: return std::fabs(a);
    case Opcode::sign: return sign(a);
    case Opcode::sqrt: return std::sqrt(a);
    case Opcode::cbrt: return std::cbrt(a);
    case Opcode::square: return a * a;
    case Opcode::exp: return std::exp(a);
    case Opcode::expm1: return std::expm1(a);
    case Opcode::log: return std::log(a);
    case Opcode::log10: return std::log10(a);
    case Opcode::log2: return std::log2(a);
    case Opcode::log1p: return std::log1p(a);
    case Opcode::sin: return std::sin(a);
    case Opcode::cos: return std::cos(a);
    case Opcode::tan: return std::tan(a);
    case Opcode::asin: return std::asin(a);
    case Opcode::acos: return std::acos(a);
    case Opcode::atan: return std::atan(a);
    case Opcode::sinh: return std::sinh(a);
    case Opcode::cosh: return std::cosh(a);
    case Opcode::tanh: return std::tanh(a);
    case Opcode::floor: return std::floor(a);
    case Opcode::ceil: return std::ceil(a);
    case Opcode::round: return std::nearbyint(a);
    case Opcode::trunc: return std::trunc(a);
    case Opcode::logical_not: return truth(a == 0);
    case Opcode::isnan: return truth(std::isnan(a));
    case Opcode::isfinite: return truth(std::isfinite(a));
    default: break;
  }
  base::assertion_failed("unary", __FILE__, __LINE__, "not an opcode with one argument");
}

double binary(Opcode opcode, double a, double b) {
  switch (opcode) {
    case Opcode::add: return a + b;
    case Opcode::sub: return a - b;
    case Opcode::mul: return a * b;
    case Opcode::div: return a / b;
    case Opcode::mod: return std::fmod(a, b);
    case Opcode::pow: return std::pow(a, b);
    case Opcode::atan2: return std::atan2(a, b);
    case Opcode::hypot: return std::hypot(a, b);
    case Opcode::minimum: return minimum(a, b);
    case Opcode::maximum: return maximum(a, b);
    case Opcode::lt: return truth(a < b);
    case Opcode::le: return truth(a <= b);
    case Opcode::gt: return truth(a > b);
    case Opcode::ge: return truth(a >= b);
    case Opcode::eq: return truth(a == b);
    case Opcode::ne: return truth(a != b);
    case Opcode::logical_and: return truth(a != 0 && b != 0);
    case Opcode::logical_or: return truth(a != 0 || b != 0);
    default: break;
  }
  base::assertion_failed("binary", __FILE__, __LINE__, "not an opcode with two arguments");
}

}  // namespace

double evaluate(Opcode opcode, double a, double b, double c) {
  switch (traits_of(opcode).arity) {
    case 1: return unary(opcode, a);
    case 2: return binary(opcode, a, b);
    default: return opcode == Opcode::where ? (a != 0 ? b : c) : minimum(maximum(a, b), c);
  }
}

}  // namespace tailrace::analytics
