#include "sinks/owners.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

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

// Shards of 2 records, 3 rows and all columns, where the last one of a record is not full.
TEST(Owners, KeepChunksTogetherThatShareAFile) {
  const output::ChunkGrid grid{{40, 9}, {8, 3}, 1};
  const OwnedVariable variable{.file = 1,
                               .variable = 2,
                               .record_bytes = large,
                               .grid = &grid,
                               .spread = true,
                               .chunks_of_file = {2, 3, 3}};
  const Owners owners(0, 3);
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<int>> found;  // by shard
  std::set<int> all;
  for (std::int64_t record = 0; record < 12; ++record)
    for (std::int64_t spatial = 0; spatial < grid.chunks_per_record(); ++spatial) {
      const int owner = owners.of_chunk(variable, spatial, record);
      found[{record / 2, spatial / 3 / 3}].insert(owner);
      all.insert(owner);
    }
  EXPECT_EQ(found.size(), 6U * 2);
  for (const auto& [shard, owner] : found) EXPECT_EQ(owner.size(), 1U) << shard.first << ", " << shard.second;
  EXPECT_EQ(all, (std::set{0, 1, 2}));
}

TEST(Owners, PutTheOthersTogetherWhereTheFileIs) {
  const std::set<int> home{Owners(0, 3).of_file(4)};
  EXPECT_EQ(owners_of(true, 100), home) << "small";
  EXPECT_EQ(owners_of(false, large), home) << "not encoded";
}

}  // namespace
}  // namespace tailrace::sinks
