#include "checkpoint/checksums.hpp"

#include <libdeflate.h>

#include <algorithm>

#include "base/index.hpp"
#include "checkpoint/checkpoint.hpp"

namespace tailrace::checkpoint {
namespace {

// Polynomials over GF(2), the bit of x^0 first; products are modulo the polynomial of CRC-32.
constexpr std::uint32_t one = std::uint32_t{1} << 31;

constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t modulus = 0xedb88320;
  std::uint32_t product = 0;
  for (std::uint32_t bit = one; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b & 1) != 0 ? (b >> 1) ^ modulus : b >> 1;
  }
  return product;
}

// x^(8 bytes): the factor of a remainder when that number of zero bytes follows.
constexpr std::uint32_t followed_by(std::uint64_t bytes) {
  std::uint32_t result = one;
  std::uint32_t power = one >> 8;
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) result = multiply(power, result);
    power = multiply(power, power);
  }
  return result;
}

// The remainder without the initial and final inversion of CRC-32.
std::uint32_t remainder(std::span<const std::byte> bytes) {
  return ~libdeflate_crc32(~std::uint32_t{0}, bytes.data(), bytes.size());
}

constexpr std::uint32_t sum_to_checksum(std::uint32_t sum) {
  return ~(sum ^ multiply(followed_by(region_bytes), ~std::uint32_t{0}));
}

}  // namespace

std::uint32_t checksum(std::span<const std::byte> bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

void RegionChecksums::add(std::uint64_t address, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto region = base::index(address / region_bytes);
    const std::uint64_t rest = region_bytes - address % region_bytes;
    const auto part = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(rest, bytes.size())));
    if (region >= sums_.size()) sums_.resize(region + 1);
    sums_[region] ^= multiply(followed_by(rest - part.size()), remainder(part));
    bytes = bytes.subspan(part.size());
    address += part.size();
  }
}

std::vector<std::uint32_t> RegionChecksums::of_file(std::uint64_t size) const {
  std::vector<std::uint32_t> sums = sums_;
  sums.resize(static_cast<std::size_t>((size + region_bytes - 1) / region_bytes));
  for (std::uint32_t& sum : sums) sum = sum_to_checksum(sum);
  return sums;
}

}  // namespace tailrace::checkpoint
