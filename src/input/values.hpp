// The numbers of a file as values: unpacked, with missing ones marked, in the units and the type of the
// model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "input/reader/file_header.hpp"
#include "model/data_type.hpp"

namespace tailrace::input {

// How a number n of the file becomes a value: (n * scale_factor + add_offset) * factor + shift (CF 8.1, and
// what the user asks for). Missing are the numbers of `missing`, those outside of the valid range, all in the
// type of the file, and NaN (CF 2.5.1).
struct ValueRules {
  model::Packing packing;
  std::vector<double> missing;
  double valid_min = -std::numeric_limits<double>::infinity();
  double valid_max = std::numeric_limits<double>::infinity();
  bool is_unsigned = false;  // `_Unsigned`: the numbers of a signed type are read without a sign
  double factor = 1.0, shift = 0.0;
  bool operator==(const ValueRules&) const = default;
};

// From `_FillValue`, or the default of the type where there is none (but for 8 bits), `missing_value`,
// `valid_range`, `valid_min`, `valid_max`, `scale_factor`, `add_offset` and `_Unsigned`. Throws
// Error(resource) for an attribute that is no number.
ValueRules rules_of(const VariableHeader& variable);

// Missing values are NaN. `raw` has `values.size()` numbers of the type.
void unpack(std::span<const std::byte> raw, model::DataType type, const ValueRules& rules,
            std::span<double> values);

// The model gets this where a value is missing.
struct MissingOption {
  enum class Kind : std::uint8_t { refuse, value, keep } kind = Kind::refuse;
  double value = 0.0;  // with `value`; with `keep` the fill value of the model's field
};

// Converts values to the type of the model's array, real types by rounding. Throws Error(resource) with the
// first cell (its place in `values`): for a missing value with `refuse`, for one that an integer type cannot
// hold, and for a finite one that overflows float32.
void convert(std::span<const double> values, const MissingOption& missing, model::DataType type,
             std::span<std::byte> result);

}  // namespace tailrace::input
