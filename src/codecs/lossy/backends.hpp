// The backends of rounding.hpp, one file each.
#pragma once

#include "codecs/lossy/rounding.hpp"

namespace tailrace::codecs::lossy {

// Only `absolute`: all values to multiples of the same power of two, at most twice the bound.
std::unique_ptr<const Rounding> make_step(const RoundingRequest& request);
// Only `bits`: the same number of bits of each mantissa (Kloewer et al. 2021, round to nearest, halves to
// even).
std::unique_ptr<const Rounding> make_bitround(const RoundingRequest& request);
// Any bounds: each value to multiples of the largest power of two that holds all of them, as the granular
// bit rounding of NCO does for digits.
std::unique_ptr<const Rounding> make_granular(const RoundingRequest& request);

}  // namespace tailrace::codecs::lossy
