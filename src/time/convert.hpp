// From one element type to another, without undefined corners.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tailrace::time {

// NetCDF's default fill values stand for "not a number" among integers.
template <class Integer>
constexpr Integer missing() {
  return sizeof(Integer) == 4 ? static_cast<Integer>(-2147483647LL)
                              : static_cast<Integer>(-9223372036854775806LL);
}

// Floating point to integer: to the nearest, kept in range. Integer to a narrower integer: kept in range.
template <class Out, class In>
Out convert(In value) {
  using Limits = std::numeric_limits<Out>;
  if constexpr (std::is_floating_point_v<Out>) {
    return static_cast<Out>(value);
  } else if constexpr (std::is_floating_point_v<In>) {
    if (std::isnan(value)) return missing<Out>();
    const double rounded = std::nearbyint(static_cast<double>(value));
    // The largest int64 is no double; what is below its nearest double fits.
    if (rounded >= static_cast<double>(Limits::max())) return Limits::max();
    if (rounded <= static_cast<double>(Limits::min())) return Limits::min();
    return static_cast<Out>(rounded);
  } else if constexpr (sizeof(Out) < sizeof(In)) {
    if (value > static_cast<In>(Limits::max())) return Limits::max();
    if (value < static_cast<In>(Limits::min())) return Limits::min();
    return static_cast<Out>(value);
  } else {
    return static_cast<Out>(value);
  }
}

}  // namespace tailrace::time
