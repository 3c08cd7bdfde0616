#include "time/stored_values.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tailrace::time {
namespace {

template <class Out>
void put(std::byte* into, std::size_t i, Out value) {
  std::memcpy(into + i * sizeof(Out), &value, sizeof(Out));
}

template <class Real>
Lost store_real(const model::FillValue& fill, std::span<const double> values, std::span<const bool> valid,
                std::byte* into) {
  const auto missing = fill.as<Real>();
  Lost lost;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<Real>(values[i]);
    const bool fits = !std::isinf(value) || std::isinf(values[i]);
    put(into, i, fits && valid[i] ? value : missing);
    if (valid[i] && (!fits || value == missing)) lost.add(values[i]);
  }
  return lost;
}

// Divides by the scale, since readers multiply by it: the inverse of the scale would be rounded.
template <class Integer>
Lost store_integers(const Stored& how, std::span<const double> values, std::span<const bool> valid,
                    std::byte* into) {
  using Limits = std::numeric_limits<Integer>;
  const model::Packing packing = how.packing.value_or(model::Packing{});
  const double lowest = static_cast<double>(Limits::min()), end = std::ldexp(1.0, Limits::digits);
  const auto fill = how.fill.as<Integer>();
  Lost lost;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double number = std::nearbyint((values[i] - packing.add_offset) / packing.scale_factor);
    const bool is_within = number >= lowest && number < end;
    const bool fits = is_within && static_cast<Integer>(number) != fill;
    put(into, i, fits && valid[i] ? static_cast<Integer>(number) : fill);
    if (valid[i] && !fits && !std::isnan(values[i])) lost.add(values[i]);
  }
  return lost;
}

}  // namespace

Lost store(const Stored& how, std::span<const double> values, std::span<const bool> valid, std::byte* into) {
  return model::dispatch(how.type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      return store_integers<T>(how, values, valid, into);
    else
      return store_real<T>(how.fill, values, valid, into);
  });
}

}  // namespace tailrace::time
