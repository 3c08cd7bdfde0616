// Coordinates of dimensions that an operator makes of an argument's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analytics/operator.hpp"

namespace tailrace::analytics::operators {

// Of a dimension of the first argument; null where it has none.
const Axis* axis_along(const Call& call, const std::vector<Described>& arguments, const std::string& dim);

// What `axis` says of itself, without values.
Axis described_as(const Axis& axis, const std::string& dim);
// The cells with these indices.
Axis cells_of(const Axis& axis, const std::string& dim, const std::vector<std::int64_t>& indices);
// first, first + 1, ...
std::vector<double> counted(std::size_t count, double first);

}  // namespace tailrace::analytics::operators
