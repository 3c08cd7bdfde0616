// Warnings of coordinates whose values CF or readers do not allow.
#pragma once

#include <string>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::plan {

// The dim of a coordinate of the model that would have the name of its dim, but has values that no coordinate
// variable may have: the dim gets this name, and the coordinate becomes an auxiliary one.
std::string dim_if_unordered(const std::string& dim);

// A sentence for each such coordinate of the model: an axis that is written as an auxiliary coordinate,
// because its values have gaps or no order; infinite values; latitudes beyond the poles.
std::vector<std::string> coordinate_warnings(const model::Declarations& declarations);

}  // namespace tailrace::plan
