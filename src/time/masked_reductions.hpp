// The reductions for values that may be missing: each cell uses only its valid samples.
#pragma once

#include "time/reductions.hpp"

namespace tailrace::time {

// Defines missing values, and how they affect the record.
template <class In>
struct Mask {
  In fill = In();
  bool propagates = false;  // one missing sample makes the record missing

  bool hides(In value) const { return value == fill || (fill != fill && value != value); }
};

template <class In>
struct MaskedSnapshot : Snapshot<In> {
  Mask<In> mask;
  bool is_valid(const In* kept, std::size_t, std::size_t i, const Totals&) const {
    return !mask.hides(kept[i]);
  }
};

// Keeps, as the last array, the weight of the valid samples of each cell. Weights are added in the order of
// time, so a cell without a gap has exactly the weight of the record.
template <class In>
struct WeighedCells {
  using Kept = double;
  Mask<In> mask;

  bool is_valid(const double* weights, std::size_t i, const Totals& totals) const {
    return mask.propagates ? weights[i] == totals.weight : weights[i] > 0.0;
  }
};

template <class In>
struct MaskedMean : WeighedCells<In> {
  static constexpr std::array names{"sum", "cell_weight"};
  void fold(const std::byte* __restrict sample, double* __restrict kept, std::size_t size, Measure measure,
            const Totals& before) const {
    const double weight = measure.weight;
    const Mask<In> mask = this->mask;
    if (before.samples == 0) std::memset(kept, 0, 2 * size * sizeof(double));
    for (std::size_t i = 0; i < size; ++i) {
      const In value = load<In>(sample, i);
      const bool hidden = mask.hides(value);
      kept[i] += hidden ? 0.0 : weight * static_cast<double>(value);
      kept[size + i] += hidden ? 0.0 : weight;
    }
  }
  double result(const double* kept, std::size_t size, std::size_t i, const Totals&) const {
    return kept[i] / kept[size + i];
  }
  bool is_valid(const double* kept, std::size_t size, std::size_t i, const Totals& totals) const {
    return WeighedCells<In>::is_valid(kept + size, i, totals);
  }
};

template <class In>
struct MaskedSum : WeighedCells<In> {
  static constexpr std::array names{"sum", "cell_weight"};
  void fold(const std::byte* __restrict sample, double* __restrict kept, std::size_t size, Measure measure,
            const Totals& before) const {
    const Mask<In> mask = this->mask;
    if (before.samples == 0) std::memset(kept, 0, 2 * size * sizeof(double));
    for (std::size_t i = 0; i < size; ++i) {
      const In value = load<In>(sample, i);
      const bool hidden = mask.hides(value);
      kept[i] += hidden ? 0.0 : measure.fraction * static_cast<double>(value);
      kept[size + i] += hidden ? 0.0 : measure.weight;
    }
  }
  double result(const double* kept, std::size_t, std::size_t i, const Totals&) const { return kept[i]; }
  bool is_valid(const double* kept, std::size_t size, std::size_t i, const Totals& totals) const {
    return WeighedCells<In>::is_valid(kept + size, i, totals);
  }
};

template <class In, bool largest>
struct MaskedExtreme {
  using Kept = In;
  static constexpr std::array names{"extreme"};
  Mask<In> mask;

  void fold(const std::byte* __restrict sample, In* __restrict kept, std::size_t size, Measure,
            const Totals& before) const {
    if (before.samples == 0) {
      std::memcpy(kept, sample, size * sizeof(In));
      return;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const In value = load<In>(sample, i);
      const In old = kept[i];
      if (mask.hides(old) || mask.hides(value))
        kept[i] = mask.hides(old) != mask.propagates ? value : old;
      else if (value != value || (largest ? value > old : value < old))
        kept[i] = value;
    }
  }
  In result(const In* kept, std::size_t, std::size_t i, const Totals&) const { return kept[i]; }
  bool is_valid(const In* kept, std::size_t, std::size_t i, const Totals&) const {
    return !mask.hides(kept[i]);
  }
};

template <class In>
struct MaskedMin : MaskedExtreme<In, false> {};
template <class In>
struct MaskedMax : MaskedExtreme<In, true> {};

template <class In>
struct MaskedStd : WeighedCells<In> {
  static constexpr std::array names{"mean", "squares", "cell_weight"};  // as in Std
  void fold(const std::byte* __restrict sample, double* __restrict kept, std::size_t size, Measure measure,
            const Totals& before) const {
    if (before.samples == 0) std::memset(kept, 0, 3 * size * sizeof(double));
    double* __restrict means = kept;
    double* __restrict squares = kept + size;
    double* __restrict weights = kept + 2 * size;
    for (std::size_t i = 0; i < size; ++i) {
      const In value = load<In>(sample, i);
      if (this->mask.hides(value)) continue;
      const double distance = static_cast<double>(value) - means[i];
      const double correction = distance * (measure.weight / (weights[i] + measure.weight));
      means[i] += correction;
      squares[i] += weights[i] * distance * correction;
      weights[i] += measure.weight;
    }
  }
  double result(const double* kept, std::size_t size, std::size_t i, const Totals&) const {
    return std::sqrt(kept[size + i] / kept[2 * size + i]);
  }
  bool is_valid(const double* kept, std::size_t size, std::size_t i, const Totals& totals) const {
    return WeighedCells<In>::is_valid(kept + 2 * size, i, totals);
  }
};

// The share of a record's time for which a cell has samples.
template <class In>
struct ValidFraction : WeighedCells<In> {
  static constexpr std::array names{"cell_weight"};
  void fold(const std::byte* __restrict sample, double* __restrict kept, std::size_t size, Measure measure,
            const Totals& before) const {
    if (before.samples == 0) std::memset(kept, 0, size * sizeof(double));
    for (std::size_t i = 0; i < size; ++i)
      kept[i] += this->mask.hides(load<In>(sample, i)) ? 0.0 : measure.weight;
  }
  double result(const double* kept, std::size_t, std::size_t i, const Totals& totals) const {
    return kept[i] / totals.weight;
  }
  bool is_valid(const double*, std::size_t, std::size_t, const Totals&) const { return true; }
};

}  // namespace tailrace::time
