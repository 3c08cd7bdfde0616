// The requirements on every backend of rounding.hpp: a new one's test is one call to check_rounding.
#pragma once

#include <gtest/gtest.h>

#include "codecs/lossy/comparison.hpp"
#include "codecs/lossy/rounding.hpp"
#include "codecs/lossy/testing/fields.hpp"

namespace tailrace::codecs::lossy::testing {

// A test of its own, value by value in long double, of what Keep says.
template <class T>
std::string broken_rule(T x, T y, const Keep& keep, T fill) {
  using Limits = std::numeric_limits<T>;
  if (std::bit_cast<Pattern<T>>(x) == std::bit_cast<Pattern<T>>(y)) return "";
  if (!std::isnormal(x)) return "a special value did not survive";
  if (x == fill) return "a fill value did not survive";
  if (y == fill) return "a value became the fill value";
  if (!std::isfinite(y)) return "a value became infinite";
  const auto wide = static_cast<long double>(x);
  const long double error = std::abs(static_cast<long double>(y) - wide), size = std::abs(wide);
  if (keep.absolute && error > static_cast<long double>(*keep.absolute)) return "absolute";
  if (keep.relative && error > static_cast<long double>(*keep.relative) * size) return "relative";
  if (keep.bits && error > std::ldexp(1.0L, std::ilogb(wide) - *keep.bits - 1)) return "bits";
  if (keep.digits) {
    int decade = static_cast<int>(std::floor(std::log10(size)));
    if (std::pow(10.0L, decade + 1) <= size) ++decade;
    if (std::pow(10.0L, decade) > size) --decade;
    if (error > 0.5L * std::pow(10.0L, decade + 1 - *keep.digits)) return "digits";
  }
  return std::abs(y) < Limits::min() && y != 0 ? "a value became a denormal" : "";
}

template <class T>
void check_rounding_of(const Rounding& rounding, const RoundingRequest& request) {
  const T fill = fill_of<T>(request.fill_value);
  for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{4099}})
    for (const auto& [name, values] : fields<T>(count, static_cast<unsigned>(count))) {
      SCOPED_TRACE(rounding.name() + ", " + words(request.keep) + ", " + name + ", " + std::to_string(count) +
                   " of " + std::string(model::name_of(request.type)));
      const Bytes original = bytes_of(values);
      Bytes rounded = original;
      rounding.round(rounded);
      const std::vector<T> stored = values_of<T>(rounded);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string broken = broken_rule(values[i], stored[i], request.keep, fill);
        ASSERT_EQ(broken, "") << values[i] << " became " << stored[i] << " at " << i;
      }
      EXPECT_TRUE(compare(original, rounded, request.keep, request.type, request.fill_value));
      Bytes again = original;
      rounding.round(again);
      EXPECT_EQ(again, rounded) << "the same values must become the same";
    }
}

inline void check_rounding(const Rounding& rounding, const RoundingRequest& request) {
  if (request.type == model::DataType::float32)
    check_rounding_of<float>(rounding, request);
  else
    check_rounding_of<double>(rounding, request);
}

}  // namespace tailrace::codecs::lossy::testing
