#include "output/zarr/crc32c.hpp"

#include <array>

namespace tailrace::output::zarr {
namespace {

constexpr std::uint32_t reflected_polynomial = 0x82f63b78;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? reflected_polynomial : 0);
    table[byte] = rest;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> table = make_table();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t rest = ~std::uint32_t{0};
  for (const std::byte byte : bytes)
    rest = (rest >> 8) ^ table[(rest ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  return ~rest;
}

}  // namespace tailrace::output::zarr
