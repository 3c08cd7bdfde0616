// The data of ExactSums: the bins of all sums as a structure of arrays, so that add_each can work on several
// sums at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analytics/exact_sum/bins.hpp"
#include "analytics/exact_sum/exact_sums.hpp"
#include "analytics/simd/kernels.hpp"

namespace tailrace::analytics::exact_sum {

enum Special : std::uint8_t { plus_infinity = 1, minus_infinity = 2, not_a_number = 4 };

// A sum in a message.
struct Packed {
  Bins bins;
  std::uint8_t top = lowest_top;
  std::uint8_t specials = 0;
  std::array<std::uint8_t, 6> padding{};
};
static_assert(sizeof(Packed) == 56);

// A structure of arrays and not an array of structures: add_each works on neighbouring sums at once, one in
// each lane of a vector register. Not thread-safe.
struct State {
  State(std::size_t sums, simd::Level level);

  void clear();
  void add_block(std::size_t sum, std::span<const double> values);  // at most longest_block
  void add_few(std::size_t sum, std::span<const double> values);
  void add_group(std::size_t group, std::size_t first, std::span<const double> values);
  Packed packed(std::size_t sum) const;  // normalised
  void merge(std::size_t sum, Packed other);
  double result(std::size_t sum) const;

  // The bins of a group of sums are normalised together when one of them may be full.
  static constexpr std::size_t group_size = 128;

  std::size_t size;
  const simd::Kernels* kernels;
  std::vector<double> numbers;        // `size` of each: three bins, highest first, and the limit
  std::vector<std::int64_t> carries;  // three times `size`
  std::vector<std::uint8_t> marks;    // `size` of each: top, specials
  std::vector<std::uint16_t>
      deposits;  // by group: upper bound of the digits added since the last normalisation

  double* bin(int which) { return numbers.data() + static_cast<std::size_t>(which) * size; }
  const double* bin(int which) const { return numbers.data() + static_cast<std::size_t>(which) * size; }
  double* limits() { return bin(kept); }
  std::uint8_t& top(std::size_t sum) { return marks[sum]; }
  std::uint8_t top(std::size_t sum) const { return marks[sum]; }
  std::uint8_t& specials(std::size_t sum) { return marks[size + sum]; }
  std::uint8_t specials(std::size_t sum) const { return marks[size + sum]; }

 private:
  Bins bins(std::size_t sum) const;
  void put_bins(std::size_t sum, const Bins& bins);  // the digits must fit a bin
  void normalise(std::size_t sum);
  void raise(std::size_t sum, int to);
  void mark(std::size_t sum, std::uint8_t specials);
  void expect(std::size_t first, std::span<const double> values);
  void add_one(std::size_t sum, double value);
  void commit(std::size_t sum, const std::int64_t* digits);
  void add_awkward_block(std::size_t sum, std::span<const double> values);
};

}  // namespace tailrace::analytics::exact_sum
