// Numbers of a file, in its order of dims, to values of a grid, in its order, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "input/entry/region.hpp"
#include "input/values.hpp"

namespace tailrace::input {

struct Decoded {
  std::int64_t missing = 0;  // NaN in the result
  bool overflows = false;    // a finite value is beyond what float32 holds
};

// `raw`: the numbers of the box from the record on that is wanted. Missing values are NaN in a result of real
// numbers. A result of whole numbers gets copies: REQUIRES no rules but those for missing values.
Decoded decode(std::span<const std::byte> raw, model::DataType raw_type, const ValueRules& rules,
               const Copying& copying, model::DataType result_type, std::span<std::byte> result);

}  // namespace tailrace::input
