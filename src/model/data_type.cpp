#include "model/data_type.hpp"

namespace tailrace::model {

std::string_view name_of(DataType type) {
  switch (type) {
    case DataType::float32: return "float32";
    case DataType::float64: return "float64";
    case DataType::int32: return "int32";
    case DataType::int64: return "int64";
  }
  base::assertion_failed("type", __FILE__, __LINE__, "unknown DataType");
}

std::size_t size_of(DataType type) {
  return dispatch(type, [](auto value) { return sizeof(value); });
}

}  // namespace tailrace::model
