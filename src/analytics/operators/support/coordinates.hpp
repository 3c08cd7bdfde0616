// Makes coordinates of a result's dimensions from those of an argument.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analytics/operator.hpp"

namespace tailrace::analytics::operators {

// The coordinate of a dimension of the first argument; null if it has none.
const DimCoordinate* coordinate_along(const Call& call, const std::vector<Described>& arguments,
                                      const std::string& dim);

// The metadata of `coordinate`, without values.
DimCoordinate described_as(const DimCoordinate& coordinate, const std::string& dim);
// The coordinate of the cells with these indices.
DimCoordinate cells_of(const DimCoordinate& coordinate, const std::string& dim,
                       const std::vector<std::int64_t>& indices);
// first, first + 1, ...
std::vector<double> counted(std::size_t count, double first);

}  // namespace tailrace::analytics::operators
