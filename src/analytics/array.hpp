// The numbers of a value: whole, or the block of one rank. All arithmetic is in float64.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/region.hpp"

namespace tailrace::analytics {

// Borrowed numbers, C order over `region.counts()`. The region says where in the global array they lie; of a
// whole value it is everything. Scalars have a region of rank 0.
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
