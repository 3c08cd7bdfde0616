// Sums that have the same bits whatever the order and grouping of what is added, the number of threads and
// the instruction set: binned summation after Ahrens, Demmel and Nguyen (2020), Algorithms for efficient
// reproducible floating point summation, ACM Trans. Math. Softw. 46 (3), 22, with bins at fixed places
// (exact_sum/bins.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "analytics/simd/level.hpp"

namespace tailrace::analytics::exact_sum {

struct State;

// `size` independent sums, of about 60 bytes each. A sum of n numbers, m the greatest magnitude among them,
// is off by at most n * 2^-80 * m before it is rounded once, to the nearest double, halves to even. NaN and
// infinities give what IEEE addition gives: NaN, or the infinity, or NaN for both infinities. A sum of
// nothing or of zeros is +0. The rounding mode must be the default one. Not safe from several threads at
// once; different objects are.
class ExactSums {
 public:
  // `level` changes no bit.
  explicit ExactSums(std::size_t size, simd::Level level = simd::level());
  ~ExactSums();
  ExactSums(ExactSums&&) noexcept;
  ExactSums& operator=(ExactSums&&) noexcept;

  std::size_t size() const;
  void add(std::size_t sum, std::span<const double> values);         // all into one sum
  void add_each(std::size_t first, std::span<const double> values);  // values[i] into sum first + i
  // What another's to_bytes gave, sum by sum. Throws Error where that had another size.
  void merge(std::span<const std::byte> bytes);
  // `count` sums of another, those from `from` on, into as many here, from `first` on.
  void merge(const ExactSums& other, std::size_t from, std::size_t first, std::size_t count);
  std::vector<std::byte> to_bytes() const;     // the same bytes for the same values; native byte order
  void results(std::span<double> sums) const;  // each rounded once
  void clear();

 private:
  std::unique_ptr<State> state_;
};

}  // namespace tailrace::analytics::exact_sum
