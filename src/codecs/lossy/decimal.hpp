// Powers of ten for bounds in decimal digits.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace tailrace::codecs::lossy {

// The nearest double, which std::pow does not always give.
inline double power_of_ten(int exponent) {
  return std::strtod(fmt::format("1e{}", exponent).c_str(), nullptr);
}

// The least number that is certainly not below 10^exponent, which a double holds exactly from 0 to 22 alone.
inline double not_below_power_of_ten(int exponent) {
  const double power = power_of_ten(exponent);
  if (exponent >= 0 && exponent <= 22) return power;
  return std::nextafter(power, std::numeric_limits<double>::infinity());
}

}  // namespace tailrace::codecs::lossy
