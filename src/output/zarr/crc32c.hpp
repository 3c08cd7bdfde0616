// CRC-32C (Castagnoli), the checksum of the codec `crc32c` of the Zarr v3 specification (RFC 3720, appendix
// B.4). Only indices of shards have it, so a table is fast enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tailrace::output::zarr {

std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace tailrace::output::zarr
