// Descriptions of state arrays: as text, and as the header of a NetCDF file.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "output/netcdf/header_only_driver/header_around.hpp"

namespace tailrace::checkpoint {

std::string describe(const model::StateArray& array);  // "float64(z=3, x=4)"

// The header of a shard whose values are in the file already and end before `end`.
output::netcdf::HeaderAround make_header(const CheckpointHeader& head, const std::vector<StoredArray>& arrays,
                                         std::uint64_t end);

}  // namespace tailrace::checkpoint
