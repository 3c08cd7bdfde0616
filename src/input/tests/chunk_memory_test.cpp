#include "input/chunk_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace tailrace::input {
namespace {

constexpr double hour = 3600.0, day = 24 * hour;

std::vector<env::ReceivedPages> pages_of(std::size_t bytes) {
  const env::SharedPages filled(bytes);
  std::vector<env::ReceivedPages> pages;
  pages.emplace_back(::dup(filled.descriptor()));
  return pages;
}

TEST(ChunkMemory, gives_what_is_asked_for_as_long_as_there_is_room) {
  ChunkMemory memory(100);
  ChunkMemory::Place a(memory), b(memory);
  EXPECT_EQ(a.reserve(10, 8, hour), 8);
  EXPECT_EQ(memory.bytes(), 80u);
  EXPECT_EQ(a.reserve(10, 5, hour), 5) << "in place of the eight";
  EXPECT_EQ(b.reserve(10, 5, hour), 5);
  EXPECT_EQ(memory.bytes(), 100u);
  a.clear();
  EXPECT_EQ(memory.bytes(), 50u);
}

TEST(ChunkMemory, is_shared_in_proportion_in_equal_parts) {
  ChunkMemory memory(120);
  ChunkMemory::Place a(memory), b(memory), c(memory);
  EXPECT_EQ(a.reserve(10, 8, hour), 8) << "nobody else has asked";
  EXPECT_EQ(b.reserve(10, 8, hour), 4) << "twice four of the eight";
  EXPECT_EQ(memory.bytes(), 120u);
  EXPECT_EQ(c.reserve(20, 2, hour), 1) << "one record in any case";
  EXPECT_EQ(memory.bytes(), 140u);
  a.clear();
  c.clear();
  EXPECT_EQ(a.reserve(10, 8, hour), 4) << "its share";
}

TEST(ChunkMemory, those_whose_next_record_is_far_away_give_way) {
  ChunkMemory memory(100);
  ChunkMemory::Place monthly(memory), daily(memory), used_again(memory), hourly(memory), late(memory);
  for (auto [place, seconds] : {std::pair{&monthly, 30 * day}, {&daily, day}, {&used_again, day}}) {
    ASSERT_EQ(place->reserve(10, 3, seconds), 3);
    place->keep(pages_of(30));
  }
  EXPECT_EQ(hourly.reserve(10, 2, hour), 2);
  hourly.keep(pages_of(20));
  EXPECT_TRUE(monthly.take().empty());
  EXPECT_EQ(late.reserve(10, 3, hour), 3);
  EXPECT_FALSE(hourly.take().empty());
  EXPECT_FALSE(daily.take().empty()) << "of the two that are as far, it was used longer ago";
  EXPECT_EQ(memory.bytes(), 80u);
  EXPECT_TRUE(monthly.take().empty());
}

TEST(ChunkMemory, what_is_in_use_is_not_given_up) {
  ChunkMemory memory(100);
  ChunkMemory::Place daily(memory), hourly(memory);
  ASSERT_EQ(daily.reserve(10, 8, day), 8);
  daily.keep(pages_of(80));
  const auto in_use = daily.take();
  ASSERT_FALSE(in_use.empty());
  EXPECT_EQ(in_use[0].bytes().size(), 80u);
  EXPECT_EQ(hourly.reserve(10, 8, hour), 2);
  EXPECT_EQ(memory.bytes(), 100u);
}

TEST(ChunkMemory, a_reader_that_ends_leaves_its_room) {
  ChunkMemory memory(100);
  {
    ChunkMemory::Place place(memory);
    ASSERT_EQ(place.reserve(10, 8, hour), 8);
    place.keep(pages_of(80));
  }
  EXPECT_EQ(memory.bytes(), 0u);
  ChunkMemory::Place next(memory);
  EXPECT_EQ(next.reserve(10, 10, hour), 10) << "its demand is gone too";
}

}  // namespace
}  // namespace tailrace::input
