#include "messaging/collectives/tree_place.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::messaging {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Follows the children down from the root.
void visit(int rank, int size, int depth, std::vector<int>& visited, int& deepest) {
  visited.push_back(rank);
  deepest = std::max(deepest, depth);
  const TreePlace branch(rank, size);
  ASSERT_LE(std::ssize(branch.children), tree_width);
  for (const int child : branch.children) {
    ASSERT_EQ(TreePlace(child, size).parent, rank);
    visit(child, size, depth + 1, visited, deepest);
  }
  ASSERT_EQ(branch.end, visited.back() + 1) << "all below rank " << rank << " follow it";
}

TEST(Tree, reaches_each_rank_once_and_in_order) {
  for (const int size : {1, 2, 3, 16, 17, 18, 19, 100, 273, 274, 1000}) {
    std::vector<int> visited;
    int deepest = 0;
    visit(0, size, 0, visited, deepest);
    ASSERT_EQ(std::ssize(visited), size);
    EXPECT_TRUE(std::is_sorted(visited.begin(), visited.end()));
    EXPECT_EQ(std::adjacent_find(visited.begin(), visited.end()), visited.end());
  }
}

TEST(Tree, of_many_ranks_is_flat) {
  for (const auto& [size, most] : {std::pair{1024, 3}, {32768, 4}, {100000, 5}}) {
    std::vector<int> visited;
    int deepest = 0;
    visit(0, size, 0, visited, deepest);
    EXPECT_LE(deepest, most) << size << " ranks";
  }
}

TEST(Tree, has_its_root_at_rank_0) {
  EXPECT_EQ(TreePlace(0, 5).parent, -1);
  EXPECT_THAT(TreePlace(0, 5).children, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(TreePlace(3, 5).children, IsEmpty());
  EXPECT_EQ(TreePlace(3, 5).parent, 0);
  EXPECT_THROW(TreePlace(5, 5), Error);
}

TEST(Tree, may_have_any_root) {
  EXPECT_EQ(TreePlace(3, 5, 3).parent, -1);
  EXPECT_THAT(TreePlace(3, 5, 3).children, ElementsAre(4, 0, 1, 2));
  const TreePlace place(1, 5, 3);
  EXPECT_EQ(place.parent, 3);
  EXPECT_EQ(place.source_of(1), 0u);
  EXPECT_EQ(TreePlace(3, 5, 3).source_of(0), 2u);
  EXPECT_THROW(TreePlace(3, 5, 3).source_of(5), Error);
}

}  // namespace
}  // namespace tailrace::messaging
