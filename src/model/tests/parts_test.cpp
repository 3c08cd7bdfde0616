#include "model/parts.hpp"

#include <gmock/gmock.h>

namespace tailrace::model {
namespace {

using testing::ElementsAre;

Region run(std::int64_t start, std::int64_t count) { return Region::of_box({{start}, {count}}); }

Decomposition of_rank(int rank, std::vector<Region> blocks) {
  Decomposition decomposition;
  decomposition.further.assign(blocks.size() - 1, {rank, false});
  decomposition.regions = {Regions(blocks)};
  return decomposition;
}

TEST(Parts, follow_the_first_blocks_of_all_ranks) {
  Decomposition all = of_rank(0, {run(0, 2), run(9, 1)});
  append(all, of_rank(1, {run(2, 3)}));
  Decomposition others = of_rank(2, {run(5, 1), run(6, 1), run(7, 2)});
  append(others, of_rank(3, {run(0, 0)}));
  append(all, others);
  EXPECT_EQ(all.ranks(), 4U);
  EXPECT_EQ(all.regions[0],
            (Regions{run(0, 2), run(2, 3), run(5, 1), run(0, 0), run(9, 1), run(6, 1), run(7, 2)}));
  EXPECT_THAT(parts_by_rank(all),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1), ElementsAre(2, 5, 6), ElementsAre(3)));
  EXPECT_EQ(all.rank_of(5), 2);
  EXPECT_FALSE(all.is_hole(5));
}

TEST(Parts, of_single_blocks_are_the_ranks) {
  Decomposition all = of_rank(0, {run(0, 2)});
  for (int rank = 1; rank < 3; ++rank) append(all, of_rank(rank, {run(2 * rank, 2)}));
  EXPECT_EQ(all.regions[0], (Regions{run(0, 2), run(2, 2), run(4, 2)}));
  EXPECT_TRUE(all.further.empty());
}

}  // namespace
}  // namespace tailrace::model
