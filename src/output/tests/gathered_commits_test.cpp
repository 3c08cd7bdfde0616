#include "output/gathered_commits.hpp"

#include <gmock/gmock.h>

namespace tailrace::output {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// `series`: chunks of 4 records of 8 bytes. `map`: chunks of one record of 2 MiB.
DatasetSpec spec() {
  DatasetSpec spec;
  spec.dims = {{"time", 0, true}, {"x", 1, false}, {"y", 1 << 18, false}};
  spec.variables = {{"series", model::DataType::float64, {0, 1}, {4, 1}, {}, {}, {}},
                    {"map", model::DataType::float64, {0, 2}, {1, 1 << 18}, {}, {}, {}},
                    {"time", model::DataType::float64, {0}, {512}, {}, {}, {}}};
  return spec;
}

ReadyCommit series_until(std::int64_t end, bool final = false) {
  ReadyCommit ready;
  ready.commit.lengths = {{0, end}};
  EncodedChunk chunk{.variable = 0,
                     .offset = {(end - 1) / 4 * 4, 0},
                     .bytes = std::vector<std::byte>(32, static_cast<std::byte>(end)),
                     .filtered = end % 4 == 0};
  chunk.committed_records = (end - 1) % 4;
  chunk.valid_records = chunk.committed_records + 1;
  ready.commit.chunks.push_back(chunk);
  ready.commit.values.push_back({2, end - 1, std::vector<std::byte>(8, static_cast<std::byte>(end))});
  ready.point.step = end;
  ready.point.final = final;
  ready.bytes = 32;
  return ready;
}

TEST(GatheredCommits, merge_to_the_newest_version_of_each_chunk) {
  const DatasetSpec dataset = spec();
  GatheredCommits gathered(dataset);
  EXPECT_TRUE(gathered.empty());
  for (std::int64_t end = 2; end <= 6; ++end) gathered.add(series_until(end, end == 6));
  EXPECT_TRUE(gathered.ends());
  EXPECT_FALSE(gathered.is_worth_it(1 << 24));
  EXPECT_TRUE(gathered.is_worth_it(64)) << "the limit is reached";
  EXPECT_EQ(gathered.bytes(), 64U);
  const ReadyCommit ready = gathered.take();
  EXPECT_TRUE(gathered.empty());
  EXPECT_EQ(gathered.bytes(), 0U);
  EXPECT_EQ(ready.bytes, 64U);
  EXPECT_EQ(ready.point.step, 6);
  EXPECT_THAT(ready.commit.lengths, ElementsAre(Pair(0, 6)));
  ASSERT_EQ(ready.commit.chunks.size(), 2U);
  EXPECT_EQ(ready.commit.chunks[0].committed_records, 1) << "from the first commit";
  EXPECT_EQ(ready.commit.chunks[0].valid_records, 4);
  EXPECT_TRUE(ready.commit.chunks[0].filtered);
  EXPECT_EQ(ready.commit.chunks[0].bytes[0], std::byte{4});
  EXPECT_EQ(ready.commit.chunks[1].committed_records, 0);
  EXPECT_EQ(ready.commit.chunks[1].valid_records, 2);
  ASSERT_EQ(ready.commit.values.size(), 1U);
  EXPECT_EQ(ready.commit.values[0].first, 1);
  EXPECT_EQ(ready.commit.values[0].bytes.size(), 5 * sizeof(double));
  EXPECT_EQ(ready.commit.values[0].bytes.back(), std::byte{6});
}

TEST(GatheredCommits, end_with_a_file_of_a_series) {
  const DatasetSpec dataset = spec();
  GatheredCommits gathered(dataset);
  for (std::int64_t end = 1; end <= 3; ++end) {
    EXPECT_FALSE(gathered.ends());
    ReadyCommit ready = series_until(end);
    ready.point.records = 2;
    ready.point.ends_part = end == 3;
    gathered.add(std::move(ready));
  }
  EXPECT_TRUE(gathered.ends());
  EXPECT_EQ(gathered.take().point.records, 6) << "of all commits";
}

TEST(GatheredCommits, are_worth_it_when_headers_are_small) {
  const DatasetSpec dataset = spec();
  GatheredCommits gathered(dataset);
  gathered.add(series_until(1));
  EXPECT_FALSE(gathered.is_worth_it(1 << 24));
  ReadyCommit map = series_until(2);
  map.commit.chunks.push_back({.variable = 1, .offset = {1, 0}, .bytes = std::vector<std::byte>(2 << 20)});
  gathered.add(std::move(map));
  EXPECT_TRUE(gathered.is_worth_it(1 << 24));
  gathered.clear();
  EXPECT_TRUE(gathered.empty());
}

// Chunks that are not full are written again, compressed, when they are.
TEST(GatheredCommits, wait_for_full_chunks_of_compressed_variables) {
  DatasetSpec dataset = spec();
  dataset.variables[1].chunk = {4, 1 << 18};
  const auto is_worth_it = [&](const std::string& codec, std::int64_t records, std::size_t record_bytes) {
    dataset.variables[1].codec.codec = codec;
    GatheredCommits gathered(dataset);
    ReadyCommit ready = series_until(records);
    EncodedChunk chunk{.variable = 1, .offset = {0, 0}, .bytes = std::vector<std::byte>(4 * record_bytes)};
    chunk.filtered = records == 4;
    chunk.valid_records = records;
    ready.commit.chunks.push_back(chunk);
    gathered.add(std::move(ready));
    return gathered.is_worth_it(1 << 26);
  };
  constexpr std::size_t headers = (8 << 10) + 3 * (1 << 10);  // of a commit to three variables
  EXPECT_TRUE(is_worth_it("none", 3, 16 * headers));
  EXPECT_FALSE(is_worth_it("zlib", 3, 64 * headers)) << "the chunk has 3 of 4 records";
  EXPECT_FALSE(is_worth_it("zlib", 4, 15 * headers));
  EXPECT_TRUE(is_worth_it("zlib", 4, 16 * headers)) << "4 records of as many bytes";
  EXPECT_TRUE(is_worth_it("zlib", 3, 256 * headers)) << "but not without end";
}

}  // namespace
}  // namespace tailrace::output
