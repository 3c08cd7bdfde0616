#include "codecs/lossy/comparison.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "codecs/lossy/decimal.hpp"
#include "codecs/lossy/kernel.hpp"

namespace tailrace::codecs::lossy {
namespace {

// Half a unit in the last of so many significant digits: a function of the decade of a value. By exponent of
// two, with the power of ten between it and the next one, if any.
class DigitBound {
 public:
  explicit DigitBound(int digits) {
    int decade = lowest_decade;
    for (int exponent = lowest; exponent <= highest; ++exponent) {
      while (decade < highest_decade && not_below_power_of_ten(decade + 1) <= std::ldexp(1.0, exponent))
        ++decade;
      bounds_[static_cast<std::size_t>(exponent - lowest)] = {
          decade < highest_decade ? not_below_power_of_ten(decade + 1)
                                  : std::numeric_limits<double>::infinity(),
          0.5 * power_of_ten(decade + 1 - digits), 0.5 * power_of_ten(decade + 2 - digits)};
    }
  }
  double of(double size) const {
    const auto exponent =
        static_cast<int>(std::bit_cast<std::uint64_t>(size) >> mantissa_bits<double>) - 1023;
    const Bound& bound = bounds_[static_cast<std::size_t>(std::max(exponent, lowest) - lowest)];
    return size < bound.decade ? bound.below : bound.above;
  }

 private:
  struct Bound {
    double decade = 0.0, below = 0.0, above = 0.0;
  };
  static constexpr int lowest = -1022, highest = 1023, lowest_decade = -308, highest_decade = 308;
  std::array<Bound, highest - lowest + 1> bounds_;
};

const DigitBound& bound_of(int digits) {
  static const std::array<DigitBound, 15> all{DigitBound(1),  DigitBound(2),  DigitBound(3),  DigitBound(4),
                                              DigitBound(5),  DigitBound(6),  DigitBound(7),  DigitBound(8),
                                              DigitBound(9),  DigitBound(10), DigitBound(11), DigitBound(12),
                                              DigitBound(13), DigitBound(14), DigitBound(15)};
  return all.at(static_cast<std::size_t>(digits - 1));
}

constexpr std::size_t block = 1024;  // values whose comparisons have no branch

// A block of values. Where a stored value is near the original, their difference in T is exact: both are
// multiples of the last bit of the smaller one. Patterns of positive numbers have the order of the numbers.
template <class T>
class Block {
 public:
  using Signed = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

  Block(const T* original, const T* stored, std::size_t count)
      : original_(original), stored_(stored), count_(count) {}

  // Whether each value that must survive did, and none became what would be taken for one of these.
  bool survived(T fill) const {
    using Limits = std::numeric_limits<T>;
    Signed lost = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const T x = original_[i], y = stored_[i], size = std::abs(x);
      const bool same = std::bit_cast<Signed>(x) == std::bit_cast<Signed>(y);
      const bool may_change = (size >= Limits::min()) & (size <= Limits::max()) & (x != fill);
      const bool is_value = (std::abs(y) <= Limits::max()) & (y != fill);
      lost |= same | (may_change & is_value) ? 0 : 1;
    }
    return lost == 0;
  }

  double largest() const {
    Signed most = 0;
    for (std::size_t i = 0; i < count_; ++i) most = std::max(most, std::bit_cast<Signed>(error(i)));
    return static_cast<double>(std::bit_cast<T>(most));
  }

  // Whether a relative error may be above `known`.
  bool exceeds(double known) const {
    const T share = static_cast<T>(known * (1.0 - 1e-6));
    Signed above = 0;
    for (std::size_t i = 0; i < count_; ++i) above |= error(i) > share * std::abs(original_[i]) ? 1 : 0;
    return above != 0;
  }
  double largest_relative() const {
    double largest = 0.0;
    for (std::size_t i = 0; i < count_; ++i)
      if (const T e = error(i); e > T(0))
        largest = std::max(largest, static_cast<double>(e) / std::abs(static_cast<double>(original_[i])));
    return largest;
  }

  template <class Bound>
  bool holds(const Bound& bound) const {
    Signed out = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto size = std::abs(static_cast<double>(original_[i]));
      out |= static_cast<double>(error(i)) > bound(size) ? 1 : 0;
    }
    return out == 0;
  }

 private:
  T error(std::size_t i) const {
    const T x = original_[i], y = stored_[i];
    const bool same = std::bit_cast<Signed>(x) == std::bit_cast<Signed>(y);  // also of NaN and infinities
    const T difference = std::abs(y - x);
    return same ? T(0) : difference;
  }

  const T* original_;
  const T* stored_;
  std::size_t count_;
};

// Half a unit in that bit behind the leading one. For the smallest values it is a denormal.
double bound_of_bits(double size, int bits) {
  const std::uint64_t pattern =
      std::bit_cast<std::uint64_t>(size) & (std::uint64_t{0x7ff} << mantissa_bits<double>);
  const std::uint64_t down = static_cast<std::uint64_t>(bits + 1) << mantissa_bits<double>;
  if (pattern > down) return std::bit_cast<double>(pattern - down);
  return std::ldexp(1.0, static_cast<int>(pattern >> mantissa_bits<double>) - 1023 - bits - 1);
}

template <class T>
bool holds(const Block<T>& values, const Keep& keep) {
  if (keep.digits && !values.holds([&bound = bound_of(*keep.digits)](double size) { return bound.of(size); }))
    return false;
  return !keep.bits || values.holds([bits = *keep.bits](double size) { return bound_of_bits(size, bits); });
}

template <class T>
std::optional<Reached> compare_as(std::span<const std::byte> original, std::span<const std::byte> stored,
                                  const Keep& keep, const std::optional<double>& fill) {
  const T* const before = reinterpret_cast<const T*>(original.data());
  const T* const after = reinterpret_cast<const T*>(stored.data());
  const std::size_t count = original.size() / sizeof(T);
  Reached reached;
  for (std::size_t first = 0; first < count; first += block) {
    const Block<T> values(before + first, after + first, std::min(block, count - first));
    if (!values.survived(fill_of<T>(fill)) || !holds(values, keep)) return std::nullopt;
    const double largest = values.largest();
    if (largest == 0.0) continue;
    reached.absolute = std::max(reached.absolute, largest);
    if (values.exceeds(reached.relative))
      reached.relative = std::max(reached.relative, values.largest_relative());
    if (keep.absolute && largest > *keep.absolute) return std::nullopt;
    // The quotient may be rounded up to just above the bound.
    if (keep.relative && reached.relative > *keep.relative &&
        !values.holds([share = *keep.relative](double size) { return share * size; }))
      return std::nullopt;
  }
  return reached;
}

}  // namespace

std::optional<Reached> compare(std::span<const std::byte> original, std::span<const std::byte> stored,
                               const Keep& keep, model::DataType type, const std::optional<double>& fill) {
  TAILRACE_ASSERT(original.size() == stored.size(), "as many values are stored as there were");
  return type == model::DataType::float32 ? compare_as<float>(original, stored, keep, fill)
                                          : compare_as<double>(original, stored, keep, fill);
}

}  // namespace tailrace::codecs::lossy
