// Coordinates of dimensions that an operator makes of an argument's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analytics/operator.hpp"

namespace tailrace::analytics::operators {

// Of a dimension of the first argument; null where it has none.
const DimCoordinate* coordinate_along(const Call& call, const std::vector<Described>& arguments,
                                      const std::string& dim);

// What `coordinate` says of itself, without values.
DimCoordinate described_as(const DimCoordinate& coordinate, const std::string& dim);
// The cells with these indices.
DimCoordinate cells_of(const DimCoordinate& coordinate, const std::string& dim,
                       const std::vector<std::int64_t>& indices);
// first, first + 1, ...
std::vector<double> counted(std::size_t count, double first);

}  // namespace tailrace::analytics::operators
