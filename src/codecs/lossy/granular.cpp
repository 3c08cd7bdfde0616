// Rounds each value to a multiple of the largest power of two that holds all bounds for it. That power
// depends on the exponent of the value, and on which side of one threshold it lies: a relative bound doubles
// within each factor of two, and a bound in digits grows tenfold at a power of ten. Where two bounds have a
// threshold between the same powers of two, the smaller steps are taken up to the higher one.
#include <array>

#include "codecs/lossy/backends.hpp"
#include "codecs/lossy/decimal.hpp"
#include "codecs/lossy/kernel.hpp"

namespace tailrace::codecs::lossy {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int coarse = 5000;  // more than any exponent

// The exponents of the steps for values below the threshold and from it on.
struct Steps {
  double threshold = 0.0;
  int below = coarse, above = coarse;

  void join(const Steps& other) {
    threshold = std::max(threshold, other.threshold);
    below = std::min(below, other.below);
    above = std::min(above, other.above);
  }
};

// For values from 2^exponent up to twice that. Each half step is at most the bound of the least value.
Steps of_relative(double relative, int exponent) {
  const int step = floor_log2(2.0 * relative) + exponent;
  double threshold = std::ldexp(1.0, step) / relative;
  while (relative * threshold < std::ldexp(1.0, step)) threshold = std::nextafter(threshold, infinity);
  return {std::nextafter(threshold, infinity), step, step + 1};  // the product above may be rounded up
}

Steps of_digits(int digits, int exponent) {
  const double least = std::ldexp(1.0, exponent);
  int decade = static_cast<int>(std::floor(std::log10(least)));
  while (not_below_power_of_ten(decade + 1) <= least) ++decade;
  while (not_below_power_of_ten(decade) > least) --decade;
  const auto step = [digits](int of) {
    const double unit = power_of_ten(of + 1 - digits);
    return unit > 0.0 ? floor_log2(unit) : -coarse;
  };
  return {not_below_power_of_ten(decade + 1), step(decade), step(decade + 1)};
}

Steps steps_of(const Keep& keep, int exponent) {
  Steps steps;
  if (keep.absolute) {
    const int step = floor_log2(*keep.absolute) + 1;
    steps.join({0.0, step, step});
  }
  if (keep.bits) steps.join({0.0, exponent - *keep.bits, exponent - *keep.bits});
  if (keep.relative) steps.join(of_relative(*keep.relative, exponent));
  if (keep.digits) steps.join(of_digits(*keep.digits, exponent));
  return steps;
}

template <class T>
class Granular final : public Rounding {
  static constexpr int exponent_bits = 8 * static_cast<int>(sizeof(T)) - 1 - mantissa_bits<T>;
  static constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
  static constexpr std::size_t patterns = std::size_t{1} << exponent_bits;

  struct Entry {
    double threshold = 0.0, below = 0.0,
           above = 0.0;  // the magic numbers of to_multiple, in double precision
  };

 public:
  Granular(const Keep& keep, std::optional<double> fill) : fill_(fill_of<T>(fill)) {
    for (std::size_t pattern = 1; pattern + 1 < patterns; ++pattern) {
      const Steps steps = steps_of(keep, static_cast<int>(pattern) - bias);
      entries_[pattern] = {steps.threshold, std::ldexp(1.0, steps.below + mantissa_bits<double>),
                           std::ldexp(1.0, steps.above + mantissa_bits<double>)};
    }
  }
  std::string name() const override { return "granular"; }
  void round(std::span<std::byte> values) const override {
    for_each_value<T>(values, [this](T value) {
      const auto pattern = std::bit_cast<Pattern<T>>(value) >> mantissa_bits<T>;
      const Entry& entry = entries_[pattern & (patterns - 1)];
      const auto wide = static_cast<double>(value);
      const double magic = std::abs(wide) < entry.threshold ? entry.below : entry.above;
      return kept(value, static_cast<T>(to_multiple(wide, magic)), fill_);
    });
  }

 private:
  T fill_;
  std::array<Entry, patterns> entries_{};  // by the exponent's pattern; that of zeros rounds nothing
};

}  // namespace

std::unique_ptr<const Rounding> make_granular(const RoundingRequest& request) {
  if (request.type == model::DataType::float32)
    return std::make_unique<Granular<float>>(request.keep, request.fill_value);
  return std::make_unique<Granular<double>>(request.keep, request.fill_value);
}

}  // namespace tailrace::codecs::lossy
