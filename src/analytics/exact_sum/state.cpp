#include "analytics/exact_sum/state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace tailrace::analytics::exact_sum {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// From this `top` on, bins with small carries are exactly representable as doubles.
constexpr int lowest_quick = lowest_top + 2;
constexpr std::int64_t greatest_quick = 2048;

double odd(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | 1); }

double extract(double& bin, double x) {  // as in simd/deposit.inc
  const double sum = bin + odd(x);
  const double taken = sum - bin;
  bin = sum;
  return x - taken;
}

std::uint8_t special_of(double x) {
  if (std::isfinite(x)) return 0;
  return std::isnan(x) ? not_a_number : x > 0 ? plus_infinity : minus_infinity;
}

}  // namespace

State::State(std::size_t sums, simd::Level level)
    : size(sums),
      kernels(&simd::kernels(level)),
      numbers(4 * sums),
      carries(3 * sums),
      marks(2 * sums),
      deposits(sums / group_size + 1) {
  clear();
}

void State::clear() {
  for (int which = 0; which < kept; ++which) std::fill_n(bin(which), size, bases_of(lowest_top)[which]);
  std::fill_n(limits(), size, limit_of(lowest_top));
  std::fill(carries.begin(), carries.end(), 0);
  std::fill_n(marks.begin(), size, std::uint8_t{lowest_top});
  std::fill_n(marks.begin() + static_cast<std::ptrdiff_t>(size), size, std::uint8_t{0});
  std::fill(deposits.begin(), deposits.end(), std::uint16_t{0});
}

Bins State::bins(std::size_t sum) const {
  const double* const base = bases_of(top(sum));
  Bins got;
  for (int which = 0; which < kept; ++which) {
    const auto index = base::index(which);
    got.digits[index] = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(bin(which)[sum]) -
                                                  std::bit_cast<std::uint64_t>(base[which]));
    got.carry[index] = carries[index * size + sum];
  }
  return got;
}

void State::put_bins(std::size_t sum, const Bins& bins) {
  const double* const base = bases_of(top(sum));
  for (int which = 0; which < kept; ++which) {
    const auto index = base::index(which);
    bin(which)[sum] = std::bit_cast<double>(std::bit_cast<std::int64_t>(base[which]) + bins.digits[index]);
    carries[index * size + sum] = bins.carry[index];
  }
}

void State::normalise(std::size_t sum) {
  Bins moved = bins(sum);
  moved.normalise();
  put_bins(sum, moved);
}

void State::raise(std::size_t sum, int to) {
  if (to <= top(sum)) return;
  Bins raised = bins(sum);
  raised.raise(to - top(sum));
  top(sum) = static_cast<std::uint8_t>(to);
  put_bins(sum, raised);
  limits()[sum] = limit_of(to);
}

void State::mark(std::size_t sum, std::uint8_t found) {
  std::uint8_t& marked = specials(sum);
  marked |= found;
  if ((marked & plus_infinity) && (marked & minus_infinity)) marked |= not_a_number;
  if (!(marked & not_a_number)) return;
  // The bins of such a sum no longer matter. A NaN limit lets them accept any value without a check.
  marked = not_a_number;
  limits()[sum] = nan;
}

void State::add_one(std::size_t sum, double value) {
  if (!(std::fabs(value) < limits()[sum])) {
    if (const std::uint8_t special = special_of(value)) return mark(sum, special);
    if (specials(sum) & not_a_number) return;
    raise(sum, bin_of(value));
    value *= scale_of(top(sum));
  }
  value = extract(bin(0)[sum], value);
  value = extract(bin(1)[sum], value);
  bin(2)[sum] += odd(value);
}

void State::add_few(std::size_t sum, std::span<const double> values) {
  if (specials(sum) & not_a_number) return;
  const double limit = limits()[sum];
  bool fit = true;
  for (const double value : values) fit &= std::fabs(value) < limit;
  if (fit) {
    double high = bin(0)[sum], middle = bin(1)[sum], low = bin(2)[sum];
    for (const double value : values) low += odd(extract(middle, extract(high, value)));
    bin(0)[sum] = high;
    bin(1)[sum] = middle;
    bin(2)[sum] = low;
  } else {
    for (const double value : values) add_one(sum, value);
  }
  if (!(specials(sum) & not_a_number)) normalise(sum);
}

void State::commit(std::size_t sum, const std::int64_t* digits) {
  Bins grown = bins(sum);
  grown.normalise();
  for (std::size_t which = 0; which < kept; ++which) grown.digits[which] += digits[which];
  grown.normalise();
  put_bins(sum, grown);
}

// Adds all values on the fast path, and looks at the block more closely only if one does not fit.
void State::add_block(std::size_t sum, std::span<const double> values) {
  if (specials(sum) & not_a_number) return;
  std::int64_t digits[kept];
  const auto fits = [&] {
    return kernels->deposit(values.data(), values.size(), bases_of(top(sum)), digits) < limits()[sum];
  };
  if (top(sum) != lowest_top && fits()) return commit(sum, digits);
  const double largest = kernels->largest(values.data(), values.size());
  if (largest == 0) return;
  if (largest < infinity) raise(sum, bin_of(largest));
  if (largest < limits()[sum] && fits()) return commit(sum, digits);
  add_awkward_block(sum, values);
}

void State::add_awkward_block(std::size_t sum, std::span<const double> values) {
  std::uint8_t found = 0;
  int highest = lowest_top;
  for (const double value : values) {
    const std::uint8_t special = special_of(value);
    found |= special;
    if (!special) highest = std::max(highest, bin_of(value));
  }
  mark(sum, found);
  if (specials(sum) & not_a_number) return;
  raise(sum, highest);
  const double scale = scale_of(top(sum));
  std::vector<double> tame(values.size());
  std::transform(values.begin(), values.end(), tame.begin(),
                 [scale](double value) { return std::isfinite(value) ? value * scale : 0.0; });
  std::int64_t digits[kept] = {};
  kernels->deposit(tame.data(), tame.size(), bases_of(top(sum)), digits);
  commit(sum, digits);
}

// Raises empty sums to the bins of their first values, so that these take the fast path.
void State::expect(std::size_t first, std::span<const double> values) {
  const double* const none = bases_of(lowest_top);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t sum = first + i;
    const int to = bin_of(values[i]);
    if (top(sum) != lowest_top || to == lowest_top || specials(sum) || special_of(values[i])) continue;
    if (bin(0)[sum] != none[0] || bin(1)[sum] != none[1] || bin(2)[sum] != none[2] || carries[sum] ||
        carries[size + sum] || carries[2 * size + sum])
      continue;
    for (int which = 0; which < kept; ++which) bin(which)[sum] = bases_of(to)[which];
    top(sum) = static_cast<std::uint8_t>(to);
    limits()[sum] = limit_of(to);
  }
}

void State::add_group(std::size_t group, std::size_t first, std::span<const double> values) {
  if (++deposits[group] > deposits_before_carry) {
    const std::size_t end = std::min(size, (group + 1) * group_size);
    for (std::size_t sum = group * group_size; sum < end; ++sum) normalise(sum);
    deposits[group] = 1;
  }
  if (deposits[group] == 1) expect(first, values);
  std::size_t done = 0;
  while (true) {
    done += kernels->deposit_each(values.data() + done, values.size() - done, bin(0) + first + done,
                                  bin(1) + first + done, bin(2) + first + done, limits() + first + done);
    if (done == values.size()) return;
    add_one(first + done, values[done]);
    if (++done == values.size()) return;
  }
}

Packed State::packed(std::size_t sum) const {
  Packed made;
  made.specials = specials(sum);
  if (made.specials & not_a_number) return made;
  made.top = top(sum);
  made.bins = bins(sum);
  made.bins.normalise();
  return made;
}

void State::merge(std::size_t sum, Packed other) {
  mark(sum, other.specials);
  if (specials(sum) & not_a_number) return;
  raise(sum, other.top);
  other.bins.raise(top(sum) - other.top);
  commit(sum, other.bins.digits.data());
  for (std::size_t which = 0; which < kept; ++which) carries[which * size + sum] += other.bins.carry[which];
}

double State::result(std::size_t sum) const {
  const std::uint8_t special = specials(sum);
  if (special & not_a_number) return nan;
  if (special) return special & plus_infinity ? infinity : -infinity;
  const int highest = top(sum);
  if (highest < lowest_quick || highest == highest_top) return rounded(bins(sum), highest);
  double of_bin[kept];
  if ((carries[sum] | carries[size + sum] | carries[2 * size + sum]) == 0) {
    for (int which = 0; which < kept; ++which) of_bin[which] = bin(which)[sum] - bases_of(highest)[which];
    return rounded(of_bin[0], of_bin[1], of_bin[2]);
  }
  bool quick = true;
  for (int which = 0; which < kept; ++which) {
    const std::int64_t carry = carries[base::index(which) * size + sum];
    quick &= carry > -greatest_quick && carry < greatest_quick;
    of_bin[which] =
        bin(which)[sum] - bases_of(highest)[which] +
        static_cast<double>(carry) * power_of_two(bin_bits * (highest - which + 1) + lowest_exponent);
  }
  return quick ? rounded(of_bin[0], of_bin[1], of_bin[2]) : rounded(bins(sum), highest);
}

}  // namespace tailrace::analytics::exact_sum
