#include "model/regions.hpp"

#include <gmock/gmock.h>

namespace tailrace::model {
namespace {

using testing::SizeIs;

Region row(std::int64_t begin, std::int64_t count) { return Region::of_box({{begin}, {count}}); }

TEST(Regions, hold_once_what_all_further_ranks_hold_alike) {
  const Regions alike(std::vector<Region>(1000, row(2, 7)));
  EXPECT_EQ(alike.size(), 1000u);
  EXPECT_THAT(alike.distinct(), SizeIs(1));
  EXPECT_EQ(alike[999], row(2, 7));
  const Regions on_first({row(0, 9), row(0, 0)}, 500);
  EXPECT_EQ(on_first[0], row(0, 9));
  EXPECT_EQ(on_first[1], row(0, 0));
  EXPECT_EQ(on_first[499], row(0, 0));
}

TEST(Regions, are_the_same_however_they_were_made) {
  const std::vector<Region> by_rank{row(0, 3), row(3, 0), row(3, 0), row(3, 4), row(7, 0), row(7, 0)};
  const Regions made(by_rank);
  ASSERT_EQ(made.size(), by_rank.size());
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) EXPECT_EQ(made[rank], by_rank[rank]) << rank;
  EXPECT_EQ(Regions(by_rank, 6), made);
  EXPECT_EQ(Regions({row(0, 3), row(3, 0), row(3, 0), row(3, 4), row(7, 0)}, 6), made);
  EXPECT_NE(Regions(by_rank, 7), made) << "another rank";
}

TEST(Regions, share_their_list_until_one_is_added_to) {
  Regions first({row(0, 3), row(3, 4)});
  const Regions copy = first;
  EXPECT_TRUE(copy.shares_list(first));
  EXPECT_EQ(&copy[1], &first[1]);
  first.push_back(row(7, 2));
  EXPECT_FALSE(copy.shares_list(first));
  EXPECT_EQ(copy.size(), 2u);
  EXPECT_EQ(first[2], row(7, 2));
  EXPECT_EQ(copy, Regions({row(0, 3), row(3, 4)}));
}

}  // namespace
}  // namespace tailrace::model
