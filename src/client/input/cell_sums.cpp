#include "client/input/cell_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "base/error.hpp"

namespace tailrace::client {
namespace {

template <class S>
const S* cells_of(const WeightedRecord& record, std::size_t begin) {
  return std::launder(reinterpret_cast<const S*>(record.values)) + begin;
}

// The loops have no branch, so that compilers make vector instructions of them.
template <class S, class T>
[[gnu::always_inline]] inline void sum_in_order(WeightedRecords records, std::size_t begin, std::size_t count,
                                                T* __restrict results) {
  const S* const a = cells_of<S>(records[0], begin);
  if (records.size() == 1) {
    for (std::size_t i = 0; i < count; ++i) results[i] = static_cast<T>(a[i]);
    return;
  }
  const S* const b = cells_of<S>(records[1], begin);
  const double u = records[0].weight, v = records[1].weight;
  if (records.size() == 2) {
    for (std::size_t i = 0; i < count; ++i)
      results[i] = static_cast<T>(u * static_cast<double>(a[i]) + v * static_cast<double>(b[i]));
    return;
  }
  const S* const c = cells_of<S>(records[2], begin);
  const double w = records[2].weight;
  for (std::size_t i = 0; i < count; ++i)
    results[i] = static_cast<T>(u * static_cast<double>(a[i]) + v * static_cast<double>(b[i]) +
                                w * static_cast<double>(c[i]));
}

// With wider instructions where the processor has them; the bits are the same.
#if defined(__x86_64__)
template <class S, class T>
__attribute__((target("avx2"))) void sum_wide(WeightedRecords records, std::size_t begin, std::size_t count,
                                              T* results) {
  sum_in_order<S>(records, begin, count, results);
}
template <class S, class T>
void sum(WeightedRecords records, std::size_t begin, std::size_t count, T* results) {
  static const bool has_wide = __builtin_cpu_supports("avx2");
  has_wide ? sum_wide<S>(records, begin, count, results) : sum_in_order<S>(records, begin, count, results);
}
#else
template <class S, class T>
void sum(WeightedRecords records, std::size_t begin, std::size_t count, T* results) {
  sum_in_order<S>(records, begin, count, results);
}
#endif

// No sum with such weights is beyond the largest value.
bool are_shares(WeightedRecords records) {
  return std::ranges::all_of(
      records, [](const WeightedRecord& one) { return one.weight >= 0.0 && one.weight <= 1.0; });
}

bool all_finite(const float* values, std::size_t count) {
  int odd = 0;
  for (std::size_t i = 0; i < count; ++i) odd |= !(std::abs(values[i]) <= std::numeric_limits<float>::max());
  return odd == 0;
}

// Float32 is checked piece by piece while it is in a cache.
template <class S, class T>
bool sum_pieces(WeightedRecords records, std::size_t begin, std::size_t count, T* results) {
  constexpr std::size_t piece = 4096;
  const bool checks = std::is_same_v<T, float> && !(std::is_same_v<S, float> && are_shares(records));
  bool finite = true;
  for (std::size_t done = 0; done < count; done += piece) {
    const std::size_t length = std::min(piece, count - done);
    sum<S>(records, begin + done, length, results + done);
    if constexpr (std::is_same_v<T, float>)
      if (checks) finite = all_finite(results + done, length) && finite;
  }
  return finite;
}

}  // namespace

void sum_cells(WeightedRecords records, model::DataType type, std::size_t begin, std::span<double> sums) {
  model::dispatch(type, [&]<class S>(S) { sum<S>(records, begin, sums.size(), sums.data()); });
}

bool sum_real_cells(WeightedRecords records, model::DataType type, std::size_t begin, std::size_t count,
                    model::DataType result_type, std::byte* results) {
  using model::DataType;
  TAILRACE_ASSERT(!model::is_integer(type) && !model::is_integer(result_type), "real types");
  const auto as = [&]<class T>(T* to) {
    return type == DataType::float32 ? sum_pieces<float>(records, begin, count, to)
                                     : sum_pieces<double>(records, begin, count, to);
  };
  return result_type == DataType::float32 ? as(std::launder(reinterpret_cast<float*>(results)))
                                          : as(std::launder(reinterpret_cast<double*>(results)));
}

}  // namespace tailrace::client
