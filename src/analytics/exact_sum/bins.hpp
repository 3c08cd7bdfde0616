// The bins of exact sums. A binned sum is a short superaccumulator: a wide fixed-point number, of which only
// the three highest parts are kept. The unit of bin i is 2^(40 i - 1074), so that all bins together cover the
// range from the smallest to the largest double. The part of a number x in each bin (a digit) depends on x
// alone, and not on what was added before: therefore the result is independent of the order. A sum keeps
// three bins: `top`, that of the largest magnitude so far, and the two below.
//
// A bin is stored as a base of 1.5 * 2^52 units plus the sum of its digits. Doubles near the base are one
// unit apart, so that adding x to a bin rounds x to units. A digit is at most 2^39 units, and a bin can hold
// 2^51 units of either sign. Before it is full, multiples of 2^40 units are moved to the bin's carry, an
// integer. They are not moved to the next higher bin: lower bins are dropped when `top` rises, and the result
// must not depend on when this happens.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tailrace::analytics::exact_sum {

inline constexpr int bin_bits = 40;
inline constexpr int kept = 3;        // bins of a sum
inline constexpr int lowest_top = 2;  // of an empty sum
inline constexpr int highest_top = 52;
inline constexpr int lowest_exponent = -1074;       // of bin 0's unit, 2^-1074
inline constexpr std::size_t longest_block = 4096;  // so many digits can be added to a bin
inline constexpr std::uint16_t deposits_before_carry = 4000;

// The bases of bins 51, 50, ..., 0, so that those of `top` and the two below are contiguous.
inline constexpr auto bases = [] {
  std::array<double, highest_top> made{};
  for (std::uint64_t bin = 0; bin < made.size(); ++bin)
    made[made.size() - 1 - bin] =
        std::bit_cast<double>(((bin_bits * bin + 1) << 52) | (std::uint64_t{1} << 51));
  return made;
}();

// For exponents of normal numbers.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Sums at both ends of the range store scaled values, with the same digits: at the upper end because the base
// of bin 52 exceeds the range of doubles, at the lower end because setting a number's last bit would add a
// unit of bin 0.
inline double scale_of(int top) { return top == highest_top ? 0x1p-80 : top == lowest_top ? 0x1p80 : 1.0; }

inline const double* bases_of(int top) {
  const int held_as = top == highest_top ? top - 2 : top == lowest_top ? top + 2 : top;
  return bases.data() + (highest_top - 1) - held_as;
}

// The bin of the highest digit of a finite x.
inline int bin_of(double x) {
  const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  const int bin = (exponent + 52) / bin_bits;
  return bin < lowest_top ? lowest_top : bin;
}

// Smaller magnitudes have no digits above bin `top` and can be added without scaling. If the sum is scaled,
// this is true only for 0.
inline double limit_of(int top) {
  if (scale_of(top) != 1.0) return std::numeric_limits<double>::denorm_min();
  return power_of_two(bin_bits * (top + 1) - 1 + lowest_exponent);
}

// A sum's three bins as integers: carry * 2^40 + digits, in units of the bin.
struct Bins {
  std::array<std::int64_t, kept> carry{};
  std::array<std::int64_t, kept> digits{};

  // Moves all bits above 40 to the carries; digits are then in [0, 2^40).
  void normalise() {
    for (int bin = 0; bin < kept; ++bin) {
      carry[bin] += digits[bin] >> bin_bits;
      digits[bin] &= (std::int64_t{1} << bin_bits) - 1;
    }
  }
  // Drops the `by` lowest bins, since `top` rises by so many.
  void raise(int by) {
    for (int bin = kept - 1; bin >= 0; --bin) {
      carry[bin] = bin < by ? 0 : carry[bin - by];
      digits[bin] = bin < by ? 0 : digits[bin - by];
    }
  }
};

// The value of the bins, rounded once, to nearest with ties to even.
double rounded(Bins bins, int top);

struct Two {
  double sum, error;  // sum + error is exact
};

inline Two two_sum(double a, double b) {
  const double sum = a + b, b_taken = sum - a;
  return {sum, (a - (sum - b_taken)) + (b - b_taken)};
}

// a + b rounded to odd: the last bit is 1 if the result is inexact.
inline double odd_sum(double a, double b) {
  const auto [sum, error] = two_sum(a, b);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error != 0 && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : std::uint64_t(-1);
  return std::bit_cast<double>(bits);
}

// The sum of three numbers, rounded once; it must be far from the ends of the range of doubles.
// Boldo and Melquiond (2008), Emulation of a FMA and correctly rounded sums: proved algorithms using rounding
// to odd, IEEE Trans. Comput. 57 (4), 462-471.
inline double rounded(double a, double b, double c) {
  const Two low = two_sum(b, c);
  if (low.error == 0) return a + low.sum;  // a single rounding, the usual case
  const Two high = two_sum(a, low.sum);
  return high.sum + odd_sum(high.error, low.error);
}

}  // namespace tailrace::analytics::exact_sum
