// Checksums of the regions of a file whose parts are written in any order: CRC-32 (that of zlib) of each
// region_bytes of it, the last region filled up with zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tailrace::checkpoint {

std::uint32_t checksum(std::span<const std::byte> bytes);

// A CRC is linear: that of a region is the sum of those of its parts, each moved to its place. So nothing is
// read again, and what was never written counts as zeros, which it is.
class RegionChecksums {
 public:
  // `bytes` are written at `address`. For each byte of the file at most once.
  void add(std::uint64_t address, std::span<const std::byte> bytes);
  std::vector<std::uint32_t> of_file(std::uint64_t size) const;

 private:
  std::vector<std::uint32_t> sums_;  // by region
};

}  // namespace tailrace::checkpoint
