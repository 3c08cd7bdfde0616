// Fields on which the bounds are tested: random, smooth, constant, tiny, huge, denormal and special ones.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/lossy/kernel.hpp"

namespace tailrace::codecs::lossy::testing {

using Bytes = std::vector<std::byte>;

inline constexpr double fill_value = -999.5;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class T>
std::vector<T> specials() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{T(0),
                        T(-0.0),
                        Limits::quiet_NaN(),
                        -Limits::quiet_NaN(),
                        Limits::signaling_NaN(),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::max(),
                        Limits::lowest(),
                        Limits::min(),
                        -Limits::min(),
                        Limits::denorm_min(),
                        -Limits::denorm_min(),
                        Limits::min() / 2,
                        T(fill_value),
                        std::nextafter(T(fill_value), T(0)),
                        std::nextafter(T(fill_value), T(-1e6)),
                        T(1),
                        T(-1),
                        T(0.1),
                        T(0.5),
                        T(1) / T(3),
                        T(99.99999),
                        T(999999.9),
                        T(1.5),
                        T(2.5)};
  for (int exponent = Limits::min_exponent10; exponent <= Limits::max_exponent10; exponent += 3)
    for (const double digits : {1.0, 0.99999999, 1.0000001, 4.9999999, 5.0})
      values.push_back(static_cast<T>(digits * std::pow(10.0, exponent)));
  return values;
}

// Each name and its field of so many values.
template <class T>
std::vector<std::pair<std::string, std::vector<T>>> fields(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto filled = [&](const std::function<T(std::size_t)>& make) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = make(i);
    return values;
  };
  const auto any = [&] { return std::bit_cast<T>(static_cast<Pattern<T>>(random())); };
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto wave = [](std::size_t i) { return std::sin(0.003 * static_cast<double>(i)); };
  const std::vector<T> special = specials<T>();
  return {
      {"smooth",
       filled([&](std::size_t i) { return static_cast<T>(22.5 + 32.5 * wave(i) + 1e-3 * unit()); })},
      {"any pattern", filled([&](std::size_t) { return any(); })},
      {"constant", filled([](std::size_t) { return T(273.15); })},
      {"through zero", filled([&](std::size_t i) { return static_cast<T>(wave(i) * unit()); })},
      {"tiny", filled([&](std::size_t i) { return static_cast<T>(1e-30 * wave(i)); })},
      {"denormal", filled([&](std::size_t) {
         return static_cast<T>((2.0 * unit() - 1.0) * static_cast<double>(std::numeric_limits<T>::min()));
       })},
      {"huge", filled([&](std::size_t i) {
         return static_cast<T>(0.9 * static_cast<double>(std::numeric_limits<T>::max()) * wave(i));
       })},
      {"special", filled([&](std::size_t) { return special[random() % special.size()]; })},
      {"with fill values", filled([&](std::size_t i) {
         return i % 3 == 0 ? T(fill_value) : static_cast<T>(fill_value + 0.3 * unit());
       })},
      {"all magnitudes", filled([&](std::size_t) {
         const T value = any();
         return std::isfinite(value) ? value : special[random() % special.size()];
       })},
  };
}

}  // namespace tailrace::codecs::lossy::testing
