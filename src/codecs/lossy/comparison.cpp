#include "codecs/lossy/comparison.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "codecs/lossy/decimal.hpp"
#include "codecs/lossy/kernel.hpp"

namespace tailrace::codecs::lossy {
namespace {

// Half a unit in the last of so many significant digits, for the values between two powers of ten.
struct Decade {
  double from = 0.0, bound = 0.0;
};

class DigitBound {
 public:
  explicit DigitBound(int digits) {
    for (int exponent = lowest; exponent <= highest; ++exponent)
      decades_[static_cast<std::size_t>(exponent - lowest)] = {not_below_power_of_ten(exponent),
                                                               0.5 * power_of_ten(exponent + 1 - digits)};
  }
  double of(double size) const {
    const auto behind =
        std::upper_bound(decades_.begin(), decades_.end(), size,
                         [](double value, const Decade& decade) { return value < decade.from; });
    return behind == decades_.begin() ? 0.0 : std::prev(behind)->bound;
  }

 private:
  static constexpr int lowest = -308, highest = 308;
  std::array<Decade, highest - lowest + 1> decades_;
};

template <class T>
bool must_survive(T value, T fill) {
  const T size = std::abs(value);
  return !(size >= std::numeric_limits<T>::min()) || !(size <= std::numeric_limits<T>::max()) ||
         value == fill;
}

// The differences of T are exact in double precision: both are multiples of the last bit of the smaller one,
// and close to each other.
template <class T>
class Comparison {
 public:
  Comparison(std::span<const std::byte> original, std::span<const std::byte> stored)
      : original_(reinterpret_cast<const T*>(original.data())),
        stored_(reinterpret_cast<const T*>(stored.data())),
        count_(original.size() / sizeof(T)) {}

  // Whether each value that must survive did, and none became what would be taken for one of these.
  bool survived(T fill) const {
    bool all = true;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto before = std::bit_cast<Pattern<T>>(original_[i]);
      const auto after = std::bit_cast<Pattern<T>>(stored_[i]);
      const bool becomes_special = !(std::abs(stored_[i]) <= std::numeric_limits<T>::max()) || stored_[i] == fill;
      all &= (before == after) | (!must_survive(original_[i], fill) & !becomes_special);
    }
    return all;
  }

  Reached largest() const {
    double absolute = 0.0, relative = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto value = static_cast<double>(original_[i]);
      const double size = std::abs(value);
      const double error = std::abs(static_cast<double>(stored_[i]) - value);
      // Errors of NaN and infinities are NaN, and no comparison with these is true.
      absolute = error > absolute ? error : absolute;
      const double share = error / size;
      relative = share > relative ? share : relative;
    }
    return {absolute, relative, 0};
  }

  bool holds_digits(int digits) const {
    const DigitBound bound(digits);
    return holds([&bound](double size) { return bound.of(size); });
  }
  bool holds_bits(int bits) const {
    return holds([bits](double size) { return std::ldexp(1.0, floor_log2(size) - bits - 1); });
  }
  bool holds_relative(double relative) const {
    bool all = true;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto value = static_cast<double>(original_[i]);
      all &= !(std::abs(static_cast<double>(stored_[i]) - value) > relative * std::abs(value));
    }
    return all;
  }

 private:
  template <class Bound>
  bool holds(Bound bound) const {
    for (std::size_t i = 0; i < count_; ++i) {
      const auto value = static_cast<double>(original_[i]);
      const double error = std::abs(static_cast<double>(stored_[i]) - value);
      if (error > 0.0 && error > bound(std::abs(value))) return false;
    }
    return true;
  }

  const T* original_;
  const T* stored_;
  std::size_t count_;
};

template <class T>
std::optional<Reached> compare_as(std::span<const std::byte> original, std::span<const std::byte> stored,
                                  const Keep& keep, const std::optional<double>& fill) {
  const Comparison<T> comparison(original, stored);
  if (!comparison.survived(fill_of<T>(fill))) return std::nullopt;
  const Reached reached = comparison.largest();
  if (keep.absolute && reached.absolute > *keep.absolute) return std::nullopt;
  if (keep.relative && !comparison.holds_relative(*keep.relative)) return std::nullopt;
  if (keep.digits && !comparison.holds_digits(*keep.digits)) return std::nullopt;
  if (keep.bits && !comparison.holds_bits(*keep.bits)) return std::nullopt;
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
