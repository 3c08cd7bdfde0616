// Where the cells of this rank lie in their grid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/region.hpp"

namespace tailrace::client {

// The global indices, slowest dim first, of the cell with that number in the values of all regions.
std::vector<std::int64_t> global_indices(std::span<const model::Region> regions, std::int64_t cell);

}  // namespace tailrace::client
