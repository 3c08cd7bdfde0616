#include "sinks/owners.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tailrace::sinks {
namespace {

std::set<int> owners_of(bool spread, std::size_t record_bytes) {
  const output::ChunkGrid grid{{40, 9}, {8, 9}, 1};
  const OwnedVariable variable{
      .file = 4, .variable = 2, .record_bytes = record_bytes, .grid = &grid, .spread = spread};
  const Owners owners(0, 3);
  std::set<int> found;
  for (std::int64_t spatial = 0; spatial < grid.chunks_per_record(); ++spatial)
    for (const std::int64_t record_chunk : {0, 1, 2})
      found.insert(owners.of_chunk(variable, spatial, record_chunk));
  return found;
}

constexpr std::size_t large = std::size_t{1} << 20;

TEST(Owners, SpreadLargeRecordsThatAreEncoded) { EXPECT_EQ(owners_of(true, large), (std::set{0, 1, 2})); }

TEST(Owners, PutTheOthersTogetherWhereTheFileIs) {
  const std::set<int> home{Owners(0, 3).of_file(4)};
  EXPECT_EQ(owners_of(true, 100), home) << "small";
  EXPECT_EQ(owners_of(false, large), home) << "not encoded";
}

}  // namespace
}  // namespace tailrace::sinks
