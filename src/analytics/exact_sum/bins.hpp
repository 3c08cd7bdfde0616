// The bins of exact sums. Bin i counts in units of 2^(40 i - 1074), so that all bins together reach from the
// smallest number to the greatest; what a number x puts into each bin (a digit) depends on x alone. A sum
// keeps three bins: that of the greatest magnitude seen, `top`, and the two below.
//
// A bin is held as a base, 1.5 * 2^52 units, plus what was put into it: numbers around the base are one unit
// apart, so that adding x to a bin rounds x to units. Digits are at most 2^39 units, and a bin has room for
// 2^51 units either way; before it is full, multiples of 2^40 units move into its carry, an integer. The
// bin's carry and not the next higher bin: the lower bins are dropped when top rises, and what was in them
// must not depend on when that was.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tailrace::analytics::exact_sum {

inline constexpr int bin_bits = 40;
inline constexpr int kept = 3;        // bins a sum
inline constexpr int lowest_top = 2;  // of a sum of nothing
inline constexpr int highest_top = 52;
inline constexpr int lowest_exponent = -1074;       // of bin 0's unit, 2^-1074
inline constexpr std::size_t longest_block = 4096;  // values whose digits' sum fits a bin
inline constexpr std::uint16_t deposits_before_carry = 4000;

// The bases of bins 51, 50, ..., 0, so that those of top and the two below stand in a row.
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

// Sums at both ends hold everything scaled, which leaves their digits as they are: at the upper end because
// the base of bin 52 is too great for a double, at the lower because setting a number's last bit would add a
// unit of bin 0.
inline double scale_of(int top) { return top == highest_top ? 0x1p-80 : top == lowest_top ? 0x1p80 : 1.0; }

inline const double* bases_of(int top) {
  const int held_as = top == highest_top ? top - 2 : top == lowest_top ? top + 2 : top;
  return bases.data() + (highest_top - 1) - held_as;
}

// The bin of the highest digit of x, finite.
inline int bin_of(double x) {
  const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  const int bin = (exponent + 52) / bin_bits;
  return bin < lowest_top ? lowest_top : bin;
}

// All magnitudes below this have no digits above bin `top`, and are held as they are. Only 0 where others
// would have to be scaled first.
inline double limit_of(int top) {
  if (scale_of(top) != 1.0) return std::numeric_limits<double>::denorm_min();
  return power_of_two(bin_bits * (top + 1) - 1 + lowest_exponent);
}

// A sum's three bins as integers: carry * 2^40 + digits, in units of the bin.
struct Bins {
  std::array<std::int64_t, kept> carry{};
  std::array<std::int64_t, kept> digits{};

  // Moves what exceeds 40 bits into the carries; digits are then in [0, 2^40).
  void normalise() {
    for (int bin = 0; bin < kept; ++bin) {
      carry[bin] += digits[bin] >> bin_bits;
      digits[bin] &= (std::int64_t{1} << bin_bits) - 1;
    }
  }
  // Drops the lowest bins, for a top that is `by` higher.
  void raise(int by) {
    for (int bin = kept - 1; bin >= 0; --bin) {
      carry[bin] = bin < by ? 0 : carry[bin - by];
      digits[bin] = bin < by ? 0 : digits[bin - by];
    }
  }
};

// What they add up to, rounded once, halves to even.
double rounded(Bins bins, int top);

struct Two {
  double sum, error;  // exactly what was added
};

inline Two two_sum(double a, double b) {
  const double sum = a + b, b_taken = sum - a;
  return {sum, (a - (sum - b_taken)) + (b - b_taken)};
}

// Rounded so that the last bit tells whether there is more behind it.
inline double odd_sum(double a, double b) {
  const auto [sum, error] = two_sum(a, b);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error != 0 && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : std::uint64_t(-1);
  return std::bit_cast<double>(bits);
}

// The sum of three numbers, rounded once; it must lie far from the ends of the range.
// Boldo and Melquiond (2008), Emulation of a FMA and correctly rounded sums: proved algorithms using rounding
// to odd, IEEE Trans. Comput. 57 (4), 462-471.
inline double rounded(double a, double b, double c) {
  const Two low = two_sum(b, c);
  if (low.error == 0) return a + low.sum;  // which is one rounding already, and what mostly happens
  const Two high = two_sum(a, low.sum);
  return high.sum + odd_sum(high.error, low.error);
}

}  // namespace tailrace::analytics::exact_sum
