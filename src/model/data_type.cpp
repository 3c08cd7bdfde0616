#include "model/data_type.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace tailrace::model {

std::string_view name_of(DataType type) {
  switch (type) {
    case DataType::float32: return "float32";
    case DataType::float64: return "float64";
    case DataType::int32: return "int32";
    case DataType::int64: return "int64";
    case DataType::int16: return "int16";
    case DataType::int8: return "int8";
    case DataType::uint8: return "uint8";
  }
  base::assertion_failed("type", __FILE__, __LINE__, "unknown DataType");
}

std::size_t size_of(DataType type) {
  return dispatch(type, [](auto value) { return sizeof(value); });
}

bool is_integer(DataType type) {
  return dispatch(type, [](auto value) { return std::is_integral_v<decltype(value)>; });
}

std::vector<DataType> all_data_types() {
  using enum DataType;
  return {float32, float64, int8, uint8, int16, int32, int64};
}

FillValue default_fill(DataType type) {
  switch (type) {
    case DataType::float32:
    case DataType::float64: return 9.969209968386869e+36;
    case DataType::int32: return -2147483647.0;
    case DataType::int64: return FillValue::of_whole(-9223372036854775806LL);
    case DataType::int16: return -32767.0;
    case DataType::int8: return -127.0;
    case DataType::uint8: return 255.0;
  }
  base::assertion_failed("type", __FILE__, __LINE__, "unknown DataType");
}

bool can_hold(DataType type, double value) {
  return dispatch(type, [value](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    if constexpr (!Limits::is_integer)
      return !std::isfinite(value) || std::abs(value) <= static_cast<double>(Limits::max());
    else
      return value == std::floor(value) && value >= static_cast<double>(Limits::min()) &&
             value < std::ldexp(1.0, Limits::digits);
  });
}

}  // namespace tailrace::model
