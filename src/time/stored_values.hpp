// What a file stores of finished values: numbers of its type, packed or as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/data_type.hpp"

namespace tailrace::time {

struct Stored {
  Stored(model::DataType as)  // NOLINT(google-explicit-constructor): a type says all, most of the time
      : type(as), fill(model::default_fill(as)) {}
  Stored(model::DataType as, double fill_value, const std::optional<model::Packing>& how = std::nullopt)
      : type(as), fill(fill_value), packing(how) {}

  model::DataType type;
  double fill;  // stands for what is missing; not packed
  std::optional<model::Packing> packing;
};

// Values that the type cannot hold: the fill value stands for them.
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

// Writes values as elements of the type, which may lie anywhere. Integers are rounded to the nearest, halves
// to the even one; nothing wraps or is cut off: what is out of range, or would read as the fill value, is
// lost. What is not `valid` is missing, and so is NaN among integers; a floating-point type keeps NaN and
// infinity.
Lost store(const Stored& how, std::span<const double> values, std::span<const bool> valid, std::byte* into);

}  // namespace tailrace::time
