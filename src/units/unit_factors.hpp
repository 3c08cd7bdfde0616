// Units written as products of powers: `kg m-2 s-1`, `m/s`, `m^2.s^-2`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace::units {

struct UnitFactor {
  std::string symbol;
  int exponent = 1;
};
using UnitFactors = std::vector<UnitFactor>;

// None if the text contains anything else, such as numbers except 1, parentheses or an origin.
std::optional<UnitFactors> parse_factors(std::string_view text);

// Such as `kg m-2`; `1` if all exponents are 0.
std::string text_of(const UnitFactors& factors);

UnitFactors product(UnitFactors a, const UnitFactors& b, int exponent_of_b);

}  // namespace tailrace::units
