// The common parts of the backends: which values stay as they are, and the rounding of one value.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

namespace tailrace::codecs::lossy {

template <class T>
using Pattern = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
inline constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;  // behind the leading one

// Where no value is a fill value, NaN: it compares with nothing.
template <class T>
T fill_of(const std::optional<double>& fill) {
  return fill ? static_cast<T>(*fill) : std::numeric_limits<T>::quiet_NaN();
}

// 2^exponent of the largest power of two that is not above `value`, which is positive and finite.
inline int floor_log2(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return exponent - 1;
}

// `rounded` where it may take the place of `value`. The comparisons are false for NaN.
template <class T>
T kept(T value, T rounded, T fill) {
  using Limits = std::numeric_limits<T>;
  const T size = std::abs(value);
  const bool may = (size >= Limits::min()) & (size <= Limits::max()) & (std::abs(rounded) <= Limits::max()) &
                   (value != fill) & (rounded != fill);
  return may ? rounded : value;
}

// `magic` is 2^(k + mantissa bits of T). A sum with it has no bits below 2^k, so the addition rounds to a
// multiple of 2^k, halfway cases to the even one, and the subtraction is exact. Values from `magic` on are
// multiples already. A value that becomes 0 becomes +0, whatever its sign was.
template <class T>
T to_multiple(T value, T magic) {
  const T shift = std::copysign(magic, value);
  const T rounded = (value + shift) - shift + T(0);
  return std::abs(value) < magic ? rounded : value;
}

template <class T, class Round>
void for_each_value(std::span<std::byte> values, Round round) {
  T* const all = reinterpret_cast<T*>(values.data());
  const std::size_t count = values.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) all[i] = round(all[i]);
}

}  // namespace tailrace::codecs::lossy
