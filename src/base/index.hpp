#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tailrace::base {

// The number `i`, which is not negative, as the type that containers count with. Numbers of fields, ranks and
// dims are signed, as in MPI and netCDF.
constexpr std::size_t index(std::integral auto i) {
  if constexpr (std::signed_integral<decltype(i)>) assert(i >= 0);
  return static_cast<std::size_t>(i);
}

template <class E>
requires std::is_enum_v<E>
constexpr std::size_t index(E value) { return static_cast<std::size_t>(value); }

}  // namespace tailrace::base
