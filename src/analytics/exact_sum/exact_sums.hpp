// Reproducible sums: the result has the same bits for any order and grouping of the values, number of threads
// and instruction set. Without them a diagnostic would depend on the decomposition of the model, because
// floating- point addition is not associative. The method is binned summation after Ahrens, Demmel and Nguyen
// (2020), Algorithms for efficient reproducible floating point summation, ACM Trans. Math. Softw. 46 (3), 22,
// with bins at fixed exponents (exact_sum/bins.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "analytics/simd/level.hpp"

namespace tailrace::analytics::exact_sum {

struct State;

// `size` independent sums, of about 60 bytes each. The error of a sum of n numbers with the largest magnitude
// m is at most n * 2^-80 * m before it is rounded once, to nearest with ties to even. NaN and infinities
// behave as in IEEE addition: NaN, or the infinity, or NaN for both infinities. An empty sum and a sum of
// zeros are +0. The rounding mode must be the default. Not thread-safe, but different objects are
// independent.
class ExactSums {
 public:
  // `level` does not change any bit.
  explicit ExactSums(std::size_t size, simd::Level level = simd::level());
  ~ExactSums();
  ExactSums(ExactSums&&) noexcept;
  ExactSums& operator=(ExactSums&&) noexcept;

  std::size_t size() const;
  void add(std::size_t sum, std::span<const double> values);         // all into one sum
  void add_each(std::size_t first, std::span<const double> values);  // values[i] into sum first + i
  // Adds the sums from another object's to_bytes(). Throws Error if it had another size.
  void merge(std::span<const std::byte> bytes);
  // Adds `count` sums of another object, from `from` on, to those from `first` on.
  void merge(const ExactSums& other, std::size_t from, std::size_t first, std::size_t count);
  std::vector<std::byte> to_bytes() const;     // the same bytes for the same values; native byte order
  void results(std::span<double> sums) const;  // each rounded once
  void clear();

 private:
  std::unique_ptr<State> state_;
};

}  // namespace tailrace::analytics::exact_sum
