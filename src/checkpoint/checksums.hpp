// Checksums of the regions of a file whose parts are written in any order: the CRC-32 (as in zlib) of each
// region of region_bytes. The last region is padded with zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tailrace::checkpoint {

std::uint32_t checksum(std::span<const std::byte> bytes);

// A CRC is linear: that of a region is the sum of the CRCs of its parts, each shifted to its place (as in
// zlib's crc32_combine). So nothing is read again, and bytes that were never written count as zeros, as in
// the file.
class RegionChecksums {
 public:
  // `bytes` are written at `address`. REQUIRES: no byte of the file is added twice.
  void add(std::uint64_t address, std::span<const std::byte> bytes);
  std::vector<std::uint32_t> of_file(std::uint64_t size) const;

 private:
  std::vector<std::uint32_t> sums_;  // by region
};

}  // namespace tailrace::checkpoint
