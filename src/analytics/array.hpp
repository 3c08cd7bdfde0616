// Arrays of numbers: a whole array or the block of one rank. All arithmetic is in float64.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/region.hpp"

namespace tailrace::analytics {

// Borrowed numbers, in C order over `region.counts()`. `region` is their part of the global array, or all of
// it for a whole array. A scalar has a region of rank 0.
struct ConstArray {
  const model::Region* region = nullptr;
  std::span<const double> values;
};

struct Array {
  model::Region region;
  std::vector<double> values;
  ConstArray view() const { return {&region, values}; }
};

}  // namespace tailrace::analytics
