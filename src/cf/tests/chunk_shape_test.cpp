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

TEST(ChooseChunk, has_pieces_of_healpix_that_are_one_coarser_cell) {
  EXPECT_EQ(healpix_piece(1), 1);
  EXPECT_EQ(healpix_piece(3), 1);
  EXPECT_EQ(healpix_piece(131072), 65536);
  EXPECT_EQ(healpix_piece(262144), 262144);
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

TEST(FillByCommits, makes_chunks_of_what_a_commit_brings) {
  const std::vector<std::int64_t> plane{512, 1024};
  const ChunkShape series{64, {2, 1024}};  // pieces of 16 KiB
  const auto filled = [&](double records) { return fill_by_commits(series, plane, 8, records); };
  EXPECT_EQ(filled(24.0).records, 24);
  EXPECT_EQ(filled(120.0).records, 60);
  EXPECT_EQ(filled(64.0).records, 64);
  EXPECT_THAT(filled(64.0).cells, ElementsAre(2, 1024));
  EXPECT_EQ(filled(97.0).records, 64) << "a prime number";
  EXPECT_EQ(filled(2.5).records, 64);
  EXPECT_EQ(filled(1.0).records, 1);
  EXPECT_THAT(filled(1.0).cells, ElementsAre(8, 1024)) << "larger pieces of fewer records";
}

TEST(FillByCommits, makes_no_tiny_chunks) {
  EXPECT_EQ(fill_by_commits({4096, {}}, {}, 8, 100.0).records, 4096);
  EXPECT_EQ(fill_by_commits({4096, {}}, {}, 8, 512.0).records, 512) << "4 KiB";
  const std::vector<std::int64_t> plane{20, 30};
  EXPECT_EQ(fill_by_commits({27, {20, 30}}, plane, 4, 1.0).records, 1) << "2.3 KiB";
  EXPECT_EQ(fill_by_commits({27, {20, 30}}, plane, 4, 101.0).records, 27) << "a prime number";
  const std::vector<std::int64_t> map{512, 512};
  EXPECT_EQ(fill_by_commits({1, {512, 512}}, map, 4, 1.0).records, 1);
}

}  // namespace
}  // namespace tailrace::cf
