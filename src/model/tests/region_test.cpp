#include "model/region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool operator==(const Segment& a, const Segment& b) {
  return a.source == b.source && a.target == b.target && a.count == b.count;
}

TEST(Box, counts_its_cells) {
  EXPECT_EQ((Box{{1, 2}, {3, 4}}).size(), 12);
  EXPECT_EQ(Box{}.size(), 1);
  EXPECT_EQ((Box{{0, 0}, {0, 4}}).size(), 0);
}

TEST(Region, becomes_a_part_of_another_whatever_it_was) {
  const Region whole({{{5, 2}}, {{7, 3}, {2, 1}}, {{0, 6}}});
  Region part = Region::of_box({{1, 2, 3, 4}, {1, 2, 3, 4}});
  const std::vector<std::size_t> dimensions{2, 1};
  part.assign_part(whole, dimensions);
  EXPECT_EQ(part, Region({{{0, 6}}, {{7, 3}, {2, 1}}}));
  EXPECT_EQ(part.size(), 24);
  part.assign_part(whole, {});
  EXPECT_EQ(part, Region());
  EXPECT_EQ(part.size(), 1);
}

TEST(Region, knows_extents_and_bounds) {
  const Region region({{{0, 2}}, {{7, 3}, {2, 1}}});
  EXPECT_EQ(region.rank(), 2u);
  EXPECT_THAT(region.counts(), ElementsAre(2, 4));
  EXPECT_EQ(region.size(), 8);
  EXPECT_EQ(region.bounds(), (Box{{0, 2}, {2, 8}}));
  EXPECT_EQ(Region::of_box({{3, 1}, {0, 5}}).bounds().size(), 0);
  EXPECT_EQ(Region().size(), 1);
}

TEST(Compress, keeps_the_order_of_the_list) {
  EXPECT_THAT(compress(std::vector<std::int64_t>{}), IsEmpty());
  const Runs runs{{4, 3}, {2, 1}, {1, 2}};
  EXPECT_EQ(compress(std::vector<std::int64_t>{4, 5, 6, 2, 1, 2}), runs);
}

TEST(Intersect, merges_what_is_contiguous_in_both) {
  const Region rows = Region::of_box({{2, 0}, {4, 10}});
  const auto whole = intersect(rows, {{0, 0}, {8, 10}});
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_TRUE(whole[0] == (Segment{0, 20, 40}));
  EXPECT_EQ(intersect(Region::of_box({{0, 0}, {4, 5}}), {{0, 0}, {4, 10}}).size(), 4u);
  EXPECT_THAT(intersect(rows, {{6, 0}, {2, 10}}), IsEmpty());
  ASSERT_EQ(intersect(Region(), Box{}).size(), 1u);
  EXPECT_THROW(intersect(rows, Box{{0}, {3}}), Error);
}

// Copies through the segments and compares with looking up every cell.
TEST(Intersect, agrees_with_looking_up_every_cell) {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 500; ++round) {
    const std::vector<std::int64_t> shape{pick(1, 5), pick(1, 6), pick(1, 7)};
    std::vector<std::vector<std::int64_t>> indices(3);
    std::vector<Runs> runs;
    Box box;
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(shape[d]));
      std::iota(all.begin(), all.end(), 0);
      if (d == static_cast<std::size_t>(round % 3)) std::shuffle(all.begin(), all.end(), random);
      all.resize(static_cast<std::size_t>(pick(1, static_cast<int>(shape[d]))));
      indices[d] = all;
      runs.push_back(compress(all));
      box.offset.push_back(pick(0, static_cast<int>(shape[d]) - 1));
      box.count.push_back(pick(1, static_cast<int>(shape[d] - box.offset[d])));
    }
    std::vector<std::int64_t> expected(static_cast<std::size_t>(box.size()), -1), got = expected;
    std::int64_t local = 0, inside = 0;
    for (const auto z : indices[0])
      for (const auto y : indices[1])
        for (const auto x : indices[2]) {
          const std::vector<std::int64_t> at{z - box.offset[0], y - box.offset[1], x - box.offset[2]};
          bool in = true;
          for (std::size_t d = 0; d < 3; ++d) in = in && at[d] >= 0 && at[d] < box.count[d];
          if (in) {
            expected[base::index((at[0] * box.count[1] + at[1]) * box.count[2] + at[2])] = local;
            ++inside;
          }
          ++local;
        }
    const Region region(runs);
    std::int64_t copied = 0;
    for (const Segment& segment : intersect(region, box)) {
      for (std::int64_t i = 0; i < segment.count; ++i)
        got[base::index(segment.target + i)] = segment.source + i;
      copied += segment.count;
    }
    EXPECT_EQ(got, expected);
    EXPECT_EQ(copied, inside);
    EXPECT_EQ(cells_inside(region, box), inside);
  }
}

}  // namespace
}  // namespace tailrace::model
