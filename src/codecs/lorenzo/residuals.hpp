// The arithmetic that encoding and decoding share. All of it is modulo 2^bits, so that every pattern
// survives.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tailrace::codecs::lorenzo {

static_assert(std::endian::native == std::endian::little, "the bytes of a chunk are little-endian");

// Small numbers of either sign to small numbers: 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
template <class U>
constexpr U zigzag(U residual) {
  using S = std::make_signed_t<U>;
  return static_cast<U>(static_cast<U>(residual << 1) ^
                        static_cast<U>(static_cast<S>(residual) >> (8 * sizeof(U) - 1)));
}
template <class U>
constexpr U unzigzag(U number) {
  return static_cast<U>(static_cast<U>(number >> 1) ^ static_cast<U>(U{0} - static_cast<U>(number & 1)));
}

// Bit patterns of real numbers to integers in the same order, and back.
template <class U>
constexpr U ordered(U pattern) {
  using S = std::make_signed_t<U>;
  const U sign = static_cast<U>(static_cast<S>(pattern) >> (8 * sizeof(U) - 1));  // all bits, or none
  return static_cast<U>(pattern ^ static_cast<U>(sign >> 1));
}
template <class U>
constexpr U arithmetic_shift(U number, int shift) {
  return static_cast<U>(static_cast<std::make_signed_t<U>>(number) >> shift);
}

// A number whose low bits make a multiple of 1 of each sum below 2^31: its last bit is worth 1.
inline constexpr double magic = 0x1.8p52;
inline constexpr double largest_multiple = 0x1p30;

// The multiple of a step that is nearest to a value, as the rounding to equal steps finds it too.
inline double nearest_multiple(double value, double inverse) { return (value * inverse + magic) - magic; }

}  // namespace tailrace::codecs::lorenzo
