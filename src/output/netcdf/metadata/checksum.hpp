// The checksum that HDF5 appends to each block of its metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tailrace::output::netcdf {

// Bob Jenkins' lookup3 ("hashlittle" with the initial value 0), over bytes in any alignment.
std::uint32_t metadata_checksum(std::span<const std::byte> bytes);

}  // namespace tailrace::output::netcdf
