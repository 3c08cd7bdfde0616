// How a file stores finished values: as numbers of its type, packed or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/data_type.hpp"

namespace tailrace::time {

struct Stored {
  Stored(model::DataType as)  // NOLINT(google-explicit-constructor): a type suffices in most cases
      : type(as), fill(model::default_fill(as)) {}
  Stored(model::DataType as, model::FillValue fill_value,
         const std::optional<model::Packing>& how = std::nullopt)
      : type(as), fill(fill_value), packing(how) {}

  model::DataType type;
  model::FillValue fill;  // marks missing values; not packed
  std::optional<model::Packing> packing;
};

// Values that readers take for missing ones: they are stored as the fill value because the type cannot hold
// them, or they equal it.
struct Lost {
  std::uint64_t values = 0;
  double first = 0.0;  // one of them

  void add(double value) {
    if (values++ == 0) first = value;
  }
  void add(const Lost& other) {
    if (values == 0) first = other.first;
    values += other.values;
  }
};

// Writes values as elements of the type; `into` may be unaligned. Values for integer types are rounded to the
// nearest, ties to even, and neither wrap nor saturate. A value that is out of range, or that becomes the
// fill value, is lost. A value that is not `valid` is missing, and so is NaN for integer types;
// floating-point types keep NaN and infinity.
Lost store(const Stored& how, std::span<const double> values, std::span<const bool> valid, std::byte* into);

}  // namespace tailrace::time
