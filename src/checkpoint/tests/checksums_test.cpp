#include "checkpoint/checksums.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/tests/samples.hpp"

namespace tailrace::checkpoint::testing {
namespace {

TEST(Checksums, are_those_of_zlib) {
  const std::string text = "123456789";  // the check value of CRC-32
  EXPECT_EQ(checksum(std::as_bytes(std::span(text))), 0xcbf43926u);
}

TEST(Checksums, of_parts_in_any_order_are_those_of_the_whole) {
  const std::size_t size = 3 * region_bytes + 1234;
  Bytes file = pattern(size, 3);
  std::fill(file.begin() + 100, file.begin() + 5000, std::byte{0});
  std::mt19937 random(5);
  std::vector<std::pair<std::size_t, std::size_t>> parts;  // begin, end
  for (std::size_t at = 0; at < size;) {
    const std::size_t end = std::min(size, at + 1 + random() % 400000);
    if (!(at == 100)) parts.emplace_back(at, end);
    at = at == 0 ? 100 : at == 100 ? 5000 : end;
    if (at == 100) parts.back().second = 100;
  }
  std::ranges::shuffle(parts, random);
  RegionChecksums checksums;
  for (const auto& [begin, end] : parts) checksums.add(begin, std::span(file).subspan(begin, end - begin));
  file.resize(4 * region_bytes);
  std::vector<std::uint32_t> expected;
  for (std::size_t region = 0; region < 4; ++region)
    expected.push_back(checksum(std::span(file).subspan(region * region_bytes, region_bytes)));
  EXPECT_EQ(checksums.of_file(size), expected);
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
