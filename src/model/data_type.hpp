// The element types of fields and of variables in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace tailrace::model {

// The values are written into messages and checkpoints: do not renumber. Fields have one of the first four;
// the others are types in files only.
enum class DataType : std::uint8_t {
  float32 = 0,
  float64 = 1,
  int32 = 2,
  int64 = 3,
  int16 = 4,
  int8 = 5,
  uint8 = 6
};
inline constexpr DataType last_field_type = DataType::int64;

std::string_view name_of(DataType type);  // "float32", ...
std::size_t size_of(DataType type);       // bytes of one element
bool is_integer(DataType type);
std::vector<DataType> all_data_types();
// The value that marks missing values of a type. No double holds netCDF's default for int64, nor other large
// whole numbers, so these are stored as they are.
struct FillValue {
  double number = 0.0;     // for all types but int64; NaN: every NaN
  std::int64_t whole = 0;  // for int64; 0 if that type cannot hold the number

  constexpr FillValue() = default;
  constexpr FillValue(double value)  // NOLINT(google-explicit-constructor): most fill values are doubles
      : number(value), whole(value >= -0x1p63 && value < 0x1p63 ? static_cast<std::int64_t>(value) : 0) {}
  static constexpr FillValue of_whole(std::int64_t value) {
    FillValue fill(static_cast<double>(value));
    fill.whole = value;
    return fill;
  }

  template <class T>
  constexpr T as() const {
    if constexpr (std::is_same_v<T, std::int64_t>)
      return whole;
    else
      return static_cast<T>(number);
  }
  // NaN equals NaN.
  constexpr bool operator==(const FillValue& other) const {
    return whole == other.whole &&
           (number == other.number || (number != number && other.number != other.number));
  }
};

// NetCDF's default fill value of the type (NC_FILL_... of netcdf.h), which readers know even without the
// attribute.
FillValue default_fill(DataType type);
// Whether the type can hold this value: integer types exactly, real types rounded, including NaN and
// infinity.
bool can_hold(DataType type, double value);

// How values are stored as numbers of a smaller type: value = number * scale_factor + add_offset (CF 8.1).
struct Packing {
  double scale_factor = 1.0;
  double add_offset = 0.0;
  bool operator==(const Packing&) const = default;
};

// Calls `visit` with a value of the C++ type that `type` stands for, and returns what it returns.
template <class Visitor>
decltype(auto) dispatch(DataType type, Visitor&& visit) {
  switch (type) {
    case DataType::float32: return visit(float{});
    case DataType::float64: return visit(double{});
    case DataType::int32: return visit(std::int32_t{});
    case DataType::int64: return visit(std::int64_t{});
    case DataType::int16: return visit(std::int16_t{});
    case DataType::int8: return visit(std::int8_t{});
    case DataType::uint8: return visit(std::uint8_t{});
  }
  base::assertion_failed("type", __FILE__, __LINE__, "unknown DataType");
}

// The inverse: the DataType of a C++ type.
template <class T>
constexpr DataType data_type_of() {
  if constexpr (std::is_same_v<T, float>)
    return DataType::float32;
  else if constexpr (std::is_same_v<T, double>)
    return DataType::float64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DataType::int32;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return DataType::int16;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return DataType::int8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return DataType::uint8;
  else {
    static_assert(std::is_same_v<T, std::int64_t>, "a type of fields or files");
    return DataType::int64;
  }
}

}  // namespace tailrace::model
