// The caller's array, contiguous or strided, and its one copy.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/data_type.hpp"

namespace tailrace::client {

// Strides count elements; slowest dimension first. Empty strides mean C order.
struct Array {
  const void* data = nullptr;
  model::DataType type = model::DataType::float64;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;
  bool fastest_first_in_messages = false;  // for callers whose language lists dimensions in that order

  std::int64_t size() const;
};

// "3, 2": extents, slowest dimension first, as a message lists them.
std::string list_extents(std::span<const std::int64_t> extents, bool fastest_first);

// Copies the elements in C order into `target` (size() * size_of(type) bytes).
void copy_dense(const Array& array, std::span<std::byte> target);

}  // namespace tailrace::client
