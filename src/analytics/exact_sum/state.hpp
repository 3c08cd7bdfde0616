// What ExactSums holds: every sum's bins, each kind of number in an array of its own, so that add_each can
// work on several sums at once.
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

// A sum as it travels.
struct Packed {
  Bins bins;
  std::uint8_t top = lowest_top;
  std::uint8_t specials = 0;
  std::array<std::uint8_t, 6> padding{};
};
static_assert(sizeof(Packed) == 56);

// Arrays of each kind and not a struct a sum: add_each works on neighbouring sums at once, a lane of a vector
// register each. Bins lie at fixed places of the exponent, so that what a number adds to them depends on no
// other number; that is what makes the sum the same in any order. Not safe from several threads.
struct State {
  State(std::size_t sums, simd::Level level);

  void clear();
  void add_block(std::size_t sum, std::span<const double> values);  // at most longest_block
  void add_few(std::size_t sum, std::span<const double> values);
  void add_group(std::size_t group, std::size_t first, std::span<const double> values);
  Packed packed(std::size_t sum) const;  // normalised
  void merge(std::size_t sum, Packed other);
  double result(std::size_t sum) const;

  // Sums are in groups; a group's sums move to their carries together when one may be full.
  static constexpr std::size_t group_size = 128;

  std::size_t size;
  const simd::Kernels* kernels;
  std::vector<double> numbers;          // size of each: three bins, highest first, and the limit
  std::vector<std::int64_t> carries;    // three times size
  std::vector<std::uint8_t> marks;      // size of each: top, specials
  std::vector<std::uint16_t> deposits;  // of each group: an upper bound of what a bin took since it moved

  double* bin(int which) { return numbers.data() + static_cast<std::size_t>(which) * size; }
  const double* bin(int which) const { return numbers.data() + static_cast<std::size_t>(which) * size; }
  double* limits() { return bin(kept); }
  std::uint8_t& top(std::size_t sum) { return marks[sum]; }
  std::uint8_t top(std::size_t sum) const { return marks[sum]; }
  std::uint8_t& specials(std::size_t sum) { return marks[size + sum]; }
  std::uint8_t specials(std::size_t sum) const { return marks[size + sum]; }

 private:
  Bins bins(std::size_t sum) const;
  void put_bins(std::size_t sum, const Bins& bins);  // digits within a bin's room
  void normalise(std::size_t sum);
  void raise(std::size_t sum, int to);
  void mark(std::size_t sum, std::uint8_t specials);
  void expect(std::size_t first, std::span<const double> values);
  void add_one(std::size_t sum, double value);
  void commit(std::size_t sum, const std::int64_t* digits);
  void add_awkward_block(std::size_t sum, std::span<const double> values);
};

}  // namespace tailrace::analytics::exact_sum
