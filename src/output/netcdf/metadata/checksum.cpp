#include "output/netcdf/metadata/checksum.hpp"

#include <array>
#include <bit>

namespace tailrace::output::netcdf {
namespace {

using State = std::array<std::uint32_t, 3>;

constexpr std::size_t block_size = 12;

void add(State& state, std::span<const std::byte> block) {
  for (std::size_t i = 0; i < block.size(); ++i)
    state[i / 4] += std::to_integer<std::uint32_t>(block[i]) << (8 * (i % 4));
}

void mix(State& state) {
  auto& [a, b, c] = state;
  a -= c, a ^= std::rotl(c, 4), c += b;
  b -= a, b ^= std::rotl(a, 6), a += c;
  c -= b, c ^= std::rotl(b, 8), b += a;
  a -= c, a ^= std::rotl(c, 16), c += b;
  b -= a, b ^= std::rotl(a, 19), a += c;
  c -= b, c ^= std::rotl(b, 4), b += a;
}

void mix_last(State& state) {
  auto& [a, b, c] = state;
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
}

}  // namespace

std::uint32_t metadata_checksum(std::span<const std::byte> bytes) {
  const auto start = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size());
  State state{start, start, start};
  if (bytes.empty()) return state[2];
  for (; bytes.size() > block_size; bytes = bytes.subspan(block_size)) {
    add(state, bytes.first(block_size));
    mix(state);
  }
  add(state, bytes);
  mix_last(state);
  return state[2];
}

}  // namespace tailrace::output::netcdf
