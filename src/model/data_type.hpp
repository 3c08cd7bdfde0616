// The element types a field can have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/error.hpp"

namespace tailrace::model {

// The values are written into messages and state: do not renumber.
enum class DataType : std::uint8_t { float32 = 0, float64 = 1, int32 = 2, int64 = 3 };

std::string_view name_of(DataType type);  // "float32", ...
std::size_t size_of(DataType type);       // bytes of one element

// Calls `visit` with a value of the C++ type that `type` stands for, and returns what it returns.
template <class Visitor>
decltype(auto) dispatch(DataType type, Visitor&& visit) {
  switch (type) {
    case DataType::float32: return visit(float{});
    case DataType::float64: return visit(double{});
    case DataType::int32: return visit(std::int32_t{});
    case DataType::int64: return visit(std::int64_t{});
  }
  base::assertion_failed("type", __FILE__, __LINE__, "unknown DataType");
}

// The other way round.
template <class T>
constexpr DataType data_type_of() {
  if constexpr (std::is_same_v<T, float>)
    return DataType::float32;
  else if constexpr (std::is_same_v<T, double>)
    return DataType::float64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DataType::int32;
  else {
    static_assert(std::is_same_v<T, std::int64_t>, "a type of fields");
    return DataType::int64;
  }
}

}  // namespace tailrace::model
