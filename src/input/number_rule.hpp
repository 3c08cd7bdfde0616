// One number of a file to a value by ValueRules, in a form that the compiler can vectorize.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "input/values.hpp"

namespace tailrace::input {

// Linear: the number is unpacked or converted. Any: more than two numbers stand for missing values, or the
// numbers have no sign.
template <class RawType, class ValueType, bool Linear, bool Any>
class NumberRule {
 public:
  using Raw = RawType;
  using Value = ValueType;
  // A finite number may become infinite.
  static constexpr bool may_overflow = Linear || sizeof(Raw) > sizeof(Value);

  explicit NumberRule(const ValueRules& rules) : rules_(rules) {
    for (std::size_t i = 0; i < std::min(rules.missing.size(), missing_.size()); ++i)
      missing_[i] = rules.missing[i];
  }

  double value(Raw stored) const {
    const double number = as_number(stored);
    if constexpr (Linear)
      return (number * rules_.packing.scale_factor + rules_.packing.add_offset) * rules_.factor +
             rules_.shift;
    return number;
  }

  Value operator()(Raw stored) const {
    if constexpr (std::is_floating_point_v<Value>)
      if (is_missing(as_number(stored))) return std::numeric_limits<Value>::quiet_NaN();
    if constexpr (Linear || Any) return static_cast<Value>(value(stored));
    return static_cast<Value>(stored);
  }

 private:
  double as_number(Raw stored) const {
    if constexpr (Any && std::is_integral_v<Raw>)
      if (rules_.is_unsigned) return static_cast<double>(static_cast<std::make_unsigned_t<Raw>>(stored));
    return static_cast<double>(stored);
  }

  // Without short cuts, so that there are no branches.
  bool is_missing(double number) const {
    bool missing = !((number >= rules_.valid_min) & (number <= rules_.valid_max)) | (number == missing_[0]) |
                   (number == missing_[1]);
    if constexpr (Any)
      for (std::size_t i = missing_.size(); i < rules_.missing.size(); ++i)
        missing |= number == rules_.missing[i];
    return missing;
  }

  ValueRules rules_;
  std::array<double, 2> missing_{std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::quiet_NaN()};
};

// Calls `use` with the simplest rule that does it. Whole numbers are copied.
template <class Raw, class Value, class Use>
void with_number_rule(const ValueRules& rules, const Use& use) {
  if constexpr (std::is_integral_v<Value>) {
    use(NumberRule<Raw, Value, false, false>(rules));
  } else {
    const bool is_linear = rules.packing != model::Packing{} || rules.factor != 1.0 || rules.shift != 0.0;
    if (rules.is_unsigned || rules.missing.size() > 2)
      is_linear ? use(NumberRule<Raw, Value, true, true>(rules))
                : use(NumberRule<Raw, Value, false, true>(rules));
    else
      is_linear ? use(NumberRule<Raw, Value, true, false>(rules))
                : use(NumberRule<Raw, Value, false, false>(rules));
  }
}

}  // namespace tailrace::input
