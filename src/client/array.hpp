// The caller's array, contiguous or strided, and its one copy.
#pragma once

#include <cstdint>
#include <span>

#include "model/data_type.hpp"

namespace tailrace::client {

// Strides count elements; slowest dimension first. Empty strides mean C order.
struct Array {
  const void* data = nullptr;
  model::DataType type = model::DataType::float64;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;

  std::int64_t size() const;
};

// Copies the elements in C order into `target` (size() * size_of(type) bytes).
void copy_dense(const Array& array, std::span<std::byte> target);

}  // namespace tailrace::client
