#include "analytics/exact_sum/bins.hpp"

namespace tailrace::analytics::exact_sum {

namespace {

__extension__ using Wide = __int128;
__extension__ using Unsigned = unsigned __int128;

int length(Unsigned x) {  // in bits
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  return static_cast<int>(high ? 64 + std::bit_width(high) : std::bit_width(low));
}

// The nearest double to (high * 2^80 + low) * 2^exponent, with low < 2^80.
double nearest(Unsigned high, Unsigned low, int exponent) {
  // 64 bits are enough to round to 53 if the last one is sticky.
  Unsigned all = high ? high : low;
  if (high) exponent += 80;
  const int surplus = length(all) - 64;
  if (surplus > 0) {
    const bool more = (all & ((Unsigned{1} << surplus) - 1)) != 0 || (high && low);
    all = (all >> surplus) | static_cast<Unsigned>(more);
    exponent += surplus;
  } else if (high) {
    const int below = 80 + surplus;  // bits of `low` that do not fit
    const bool more = (low & ((Unsigned{1} << below) - 1)) != 0;
    all = (all << -surplus) | (low >> below) | static_cast<Unsigned>(more);
    exponent += surplus;
  }
  const auto found = static_cast<double>(static_cast<std::uint64_t>(all));
  if (exponent < -1000 || exponent > 900) return std::ldexp(found, exponent);
  return found * power_of_two(exponent);  // exactly the same, and much faster
}

}  // namespace

double rounded(Bins bins, int top) {
  bins.normalise();
  std::array<Wide, kept> total{};
  for (int bin = 0; bin < kept; ++bin)
    total[bin] = static_cast<Wide>(bins.carry[bin]) * (Wide{1} << bin_bits) + bins.digits[bin];
  constexpr Wide mask = (Wide{1} << bin_bits) - 1;
  total[1] += total[2] >> bin_bits;
  Wide high = total[0] + (total[1] >> bin_bits);
  Wide low = ((total[1] & mask) << bin_bits) | (total[2] & mask);
  const bool negative = high < 0;
  if (negative) {
    high = low == 0 ? -high : -high - 1;
    low = low == 0 ? 0 : (Wide{1} << 2 * bin_bits) - low;
  }
  const int exponent = bin_bits * (top - 2) + lowest_exponent;
  const double magnitude = nearest(static_cast<Unsigned>(high), static_cast<Unsigned>(low), exponent);
  return negative ? -magnitude : magnitude;
}

}  // namespace tailrace::analytics::exact_sum
