// Weighted sums of records: the pass over the cells of a rank.
#pragma once

#include <cstddef>
#include <span>

#include "model/data_type.hpp"

namespace tailrace::client {

struct WeightedRecord {
  const std::byte* values = nullptr;
  double weight = 1.0;
};
// One to three. A value is the sum of weight * value in float64, in this order; one record alone is taken as
// it is. So the bits do not depend on how the cells are divided among ranks.
using WeightedRecords = std::span<const WeightedRecord>;

// The sums of the cells from `begin` on. A missing value (NaN) makes its sum NaN.
void sum_cells(WeightedRecords records, model::DataType type, std::size_t begin, std::span<double> sums);

// The same for `count` cells, rounded once to float32 or float64. Returns false if a result of float32 is not
// finite: a value is beyond its range, or was not finite before. REQUIRES: both types are real ones.
bool sum_real_cells(WeightedRecords records, model::DataType type, std::size_t begin, std::size_t count,
                    model::DataType result_type, std::byte* results);

}  // namespace tailrace::client
