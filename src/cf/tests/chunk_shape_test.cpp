#include "cf/chunk_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailrace::cf {
namespace {

using testing::ElementsAre;

TEST(ChooseChunk, keeps_small_records_together) {
  EXPECT_EQ(choose_chunk({}, 8, settings::Access::maps).records, 4096);
  const std::vector<std::int64_t> profile{100};
  EXPECT_EQ(choose_chunk(profile, 8, settings::Access::automatic).records, 81);
  EXPECT_THAT(choose_chunk(profile, 8, settings::Access::automatic).cells, ElementsAre(100));
}

TEST(ChooseChunk, cuts_large_records_along_slow_dims) {
  const std::vector<std::int64_t> cube{100, 1000, 1000};
  const ChunkShape chunk = choose_chunk(cube, 8, settings::Access::maps);
  EXPECT_EQ(chunk.records, 1);
  EXPECT_THAT(chunk.cells, ElementsAre(1, 125, 1000));
  const std::vector<std::int64_t> medium{64, 64, 64};
  EXPECT_THAT(choose_chunk(medium, 8, settings::Access::maps).cells, ElementsAre(64, 64, 64));
}

TEST(ChooseChunk, gathers_records_for_series) {
  const std::vector<std::int64_t> plane{1000, 1000};
  const ChunkShape chunk = choose_chunk(plane, 8, settings::Access::series);
  EXPECT_GT(chunk.records, 32);
  EXPECT_LE(chunk.records * chunk.cells[0] * chunk.cells[1] * 8, 1 << 20);
}

TEST(ChooseChunk, gathers_no_more_records_for_series_than_there_is_room_for) {
  const std::vector<std::int64_t> plane{1000, 1100};  // 8.8 MB a record
  const auto chunk = [&](std::size_t room) { return choose_chunk(plane, 8, settings::Access::series, room); };
  EXPECT_EQ(chunk(70'000'000).records, 7);
  EXPECT_EQ(chunk(9'000'000).records, 1);
  EXPECT_EQ(chunk(1).records, 1);
  for (const std::size_t room : {1UL, 20'000'000UL, 70'000'000UL}) {
    const std::int64_t bytes = chunk(room).records * chunk(room).cells[0] * chunk(room).cells[1] * 8;
    EXPECT_GE(bytes, 32 << 10) << room;
    EXPECT_LE(bytes, 1 << 20) << room;
  }
}

TEST(ChooseChunk, stays_within_bounds_whatever_the_shape) {
  for (std::int64_t a = 1; a < 5000; a = a * 3 + 1) {
    for (std::int64_t b = 1; b < 3000000; b = b * 7 + 2) {
      const std::vector<std::int64_t> shape{a, b};
      for (const std::size_t element : {4ul, 8ul}) {
        const ChunkShape chunk = choose_chunk(shape, element, settings::Access::automatic);
        const std::int64_t cells = chunk.cells[0] * chunk.cells[1];
        const std::int64_t bytes = cells * chunk.records * static_cast<std::int64_t>(element);
        EXPECT_LE(bytes, 2 << 20) << a << " x " << b;
        if (a * b * static_cast<std::int64_t>(element) >= 1 << 20) {
          EXPECT_GE(bytes, 256 << 10) << a << " x " << b;
        }
        EXPECT_LE(chunk.cells[0], a);
        EXPECT_LE(chunk.cells[1], b);
      }
    }
  }
}

TEST(FillByCommits, divides_a_commit_evenly_unless_chunks_become_small) {
  const ChunkShape series{64, {2, 1024}};  // pieces of 16 KiB
  EXPECT_EQ(fill_by_commits(series, 8, 24.0), 24);
  EXPECT_EQ(fill_by_commits(series, 8, 120.0), 60);
  EXPECT_EQ(fill_by_commits(series, 8, 64.0), 64);
  EXPECT_EQ(fill_by_commits(series, 8, 97.0), 64) << "a prime number";
  EXPECT_EQ(fill_by_commits(series, 8, 1.0), 64) << "it would be no series";
  EXPECT_EQ(fill_by_commits(series, 8, 2.5), 64);
  EXPECT_EQ(fill_by_commits({4096, {1}}, 8, 100.0), 4096);
  EXPECT_EQ(fill_by_commits({1, {512, 512}}, 4, 1.0), 1);
}

}  // namespace
}  // namespace tailrace::cf
