// Each reduction defines how it updates its state with an element (`fold`), and how the state gives the
// record
// (`result`). They are plain loops over arrays, which compilers vectorise.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "time/accumulator.hpp"

namespace tailrace::time {

// Samples may be unaligned in a message, so elements are read through memcpy, which costs nothing.
template <class T>
T load(const std::byte* bytes, std::size_t element) {
  T value;
  std::memcpy(&value, bytes + element * sizeof(T), sizeof(T));
  return value;
}

// The weight of a sample in a record. It is passed by value: a reference might alias the numbers that a loop
// writes, and would be read again in each iteration.
struct Measure {
  double weight = 0.0;    // the length of its interval
  double fraction = 0.0;  // the part of the whole sample
};

template <class In>
struct Snapshot {
  using Kept = In;
  static constexpr std::array names{"last"};
  static void fold(const std::byte* sample, Kept* kept, std::size_t size, Measure, const Totals&) {
    std::memcpy(kept, sample, size * sizeof(In));
  }
  static In result(const Kept* kept, std::size_t, std::size_t i, const Totals&) { return kept[i]; }
};

template <class In>
struct Mean {
  using Kept = double;
  static constexpr std::array names{"sum"};
  static void fold(const std::byte* __restrict sample, double* __restrict sums, std::size_t size,
                   Measure measure, const Totals& before) {
    const double weight = measure.weight;
    if (before.samples == 0)
      for (std::size_t i = 0; i < size; ++i) sums[i] = weight * static_cast<double>(load<In>(sample, i));
    else
      for (std::size_t i = 0; i < size; ++i) sums[i] += weight * static_cast<double>(load<In>(sample, i));
  }
  static double result(const double* sums, std::size_t, std::size_t i, const Totals& totals) {
    return sums[i] / totals.weight;
  }
};

template <class In, bool largest>
struct Extreme {
  using Kept = In;
  static constexpr std::array names{"extreme"};
  static void fold(const std::byte* __restrict sample, In* __restrict kept, std::size_t size, Measure,
                   const Totals& before) {
    if (before.samples == 0) {
      std::memcpy(kept, sample, size * sizeof(In));
      return;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const In value = load<In>(sample, i);
      const In old = kept[i];
      // A NaN in the state stays, since every comparison with it is false.
      const bool takes = (value != value) || (largest ? value > old : value < old);
      kept[i] = takes ? value : old;
    }
  }
  static In result(const In* kept, std::size_t, std::size_t i, const Totals&) { return kept[i]; }
};

template <class In>
struct Min : Extreme<In, false> {};
template <class In>
struct Max : Extreme<In, true> {};

template <class In>
struct Sum {
  using Kept = double;
  static constexpr std::array names{"sum"};
  static void fold(const std::byte* __restrict sample, double* __restrict sums, std::size_t size,
                   Measure measure, const Totals& before) {
    const double fraction = measure.fraction;
    if (before.samples == 0) std::memset(sums, 0, size * sizeof(double));
    for (std::size_t i = 0; i < size; ++i) sums[i] += fraction * static_cast<double>(load<In>(sample, i));
  }
  static double result(const double* sums, std::size_t, std::size_t i, const Totals&) { return sums[i]; }
};

// D. H. D. West (1979), Updating mean and variance estimates: an improved method, Comm. ACM 22 (9), 532-535.
// It is the only reduction that updates the mean: the difference of two sums of squares would lose all digits
// of a small spread.
template <class In>
struct Std {
  using Kept = double;
  static constexpr std::array names{"mean", "squares"};  // the weighted sum of squares about the mean
  static void fold(const std::byte* __restrict sample, double* __restrict kept, std::size_t size,
                   Measure measure, const Totals& before) {
    const double weight = measure.weight;
    double* __restrict means = kept;
    double* __restrict squares = kept + size;
    if (before.samples == 0) std::memset(kept, 0, 2 * size * sizeof(double));
    const double share = weight / (before.weight + weight);
    for (std::size_t i = 0; i < size; ++i) {
      const double distance = static_cast<double>(load<In>(sample, i)) - means[i];
      const double correction = distance * share;
      means[i] += correction;
      squares[i] += before.weight * distance * correction;
    }
  }
  static double result(const double* kept, std::size_t size, std::size_t i, const Totals& totals) {
    return std::sqrt(kept[size + i] / totals.weight);
  }
};

}  // namespace tailrace::time
