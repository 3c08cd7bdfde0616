#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/index.hpp"
#include "model/declarations.hpp"

namespace tailrace::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const Grid& grid, const std::vector<Region>& regions) {
  Declarations declarations;
  declarations.grids = {grid};
  Decomposition decomposition;
  decomposition.regions = {regions};
  try {
    check_cover(declarations, decomposition);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

Grid make_grid(GridKind kind, const std::vector<std::string>& dims, const std::vector<std::int64_t>& shape) {
  Grid grid;
  grid.name = "les";
  grid.kind = kind;
  grid.dims = dims;
  grid.shape = shape;
  return grid;
}
Grid plane(std::int64_t ny, std::int64_t nx) { return make_grid(GridKind::block, {"y", "x"}, {ny, nx}); }
Region block(std::int64_t y, std::int64_t x, std::int64_t ny, std::int64_t nx) {
  return Region::of_box({{y, x}, {ny, nx}});
}
Region cells(const std::vector<std::int64_t>& indices) { return Region({compress(indices)}); }

TEST(CheckCover, accepts_complete_decompositions) {
  EXPECT_EQ(complaint(plane(4, 6), {block(0, 0, 4, 6)}), "");
  EXPECT_EQ(complaint(plane(4, 6), {block(0, 3, 4, 3), block(0, 0, 1, 3), block(1, 0, 3, 3)}), "");
  EXPECT_EQ(complaint(plane(4, 6), {block(0, 0, 4, 6), block(0, 0, 0, 0), block(2, 2, 0, 4)}), "");
}

TEST(CheckCover, names_the_ranks_and_cells_that_overlap) {
  EXPECT_EQ(complaint(plane(4, 6), {block(0, 0, 2, 6), block(2, 3, 2, 3), block(1, 0, 3, 4)}),
            "grid \"les\" (y, x: 4 x 6): ranks 0 and 2 both hold y=1, x=0..3 (indices count from 0)");
}

TEST(CheckCover, names_cells_that_nobody_holds) {
  EXPECT_EQ(complaint(plane(4, 6), {block(0, 0, 4, 2), block(0, 2, 2, 4), block(3, 2, 1, 4)}),
            "grid \"les\" (y, x: 4 x 6): no rank holds y=2, x=2..5 (4 cells are missing in all) (indices "
            "count from 0); if the model leaves them out, as land processors, write `grids: {les: {holes: "
            "missing}}`");
  EXPECT_THAT(complaint(plane(4, 6), {}), HasSubstr("no rank holds y=0..3, x=0..5 (24 cells"));
}

TEST(CheckCover, names_a_block_that_lies_outside) {
  EXPECT_THAT(complaint(plane(4, 6), {block(0, 0, 4, 3), block(0, 3, 4, 4)}),
              HasSubstr("rank 1 holds x=3..6, which lies outside 0..5"));
  EXPECT_THAT(complaint(plane(4, 6), {block(-1, 0, 4, 6)}),
              HasSubstr("rank 0 holds y=-1..2, which lies outside 0..3"));
  EXPECT_THAT(complaint(plane(4, 6), {Region::of_box({{0}, {4}})}),
              HasSubstr("rank 0 gave a block with 1 dimensions"));
}

TEST(CheckCover, names_the_option_for_cells_that_are_left_out) {
  EXPECT_THAT(
      complaint(plane(4, 6), {block(0, 0, 4, 2), block(0, 2, 2, 4)}),
      HasSubstr("(indices count from 0); if the model leaves them out, as land processors, write `grids: "
                "{les: {holes: missing}}`"));
  Grid holey = plane(4, 6);
  holey.holes_are_missing = true;
  EXPECT_EQ(complaint(holey, {block(0, 0, 4, 2), block(0, 2, 2, 4)}), "");
  EXPECT_THAT(complaint(holey, {block(0, 0, 4, 2), block(0, 1, 2, 4)}),
              HasSubstr("ranks 0 and 1 both hold y=0..1, x=1"));
  EXPECT_THAT(complaint(holey, {block(0, 0, 0, 0)}), HasSubstr("no rank holds y=0..3, x=0..5 (24 cells"));
}

TEST(CheckCover, names_blocks_of_one_rank_that_overlap) {
  Declarations declarations;
  declarations.grids = {plane(4, 6)};
  Decomposition decomposition;
  decomposition.regions = {Regions{block(0, 0, 2, 6), block(2, 0, 2, 6), block(3, 1, 1, 2)}};
  decomposition.further = {{1, false}};
  try {
    check_cover(declarations, decomposition);
    FAIL() << "the overlap was not found";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 1 holds y=3, x=1..2 twice"));
  }
}

TEST(CheckCover, handles_indexed_grids) {
  Grid icon = make_grid(GridKind::indexed, {"level", "cell"}, {2, 10});
  const auto of = [](const std::vector<std::int64_t>& indices) {
    return Region({{{0, 2}}, compress(indices)});
  };
  EXPECT_EQ(complaint(icon, {of({0, 1, 5, 9}), of({8, 7, 6}), of({2, 3, 4})}), "");
  EXPECT_THAT(complaint(icon, {of({0, 1, 5, 9}), of({8, 7, 6, 5}), of({2, 3, 4})}),
              HasSubstr("ranks 0 and 1 both hold level=0..1, cell=5"));
  EXPECT_THAT(complaint(icon, {of({0, 1, 5, 9}), of({8, 7}), of({2, 3})}),
              HasSubstr("no rank holds level=0..1, cell=4 (4 cells are missing in all)"));
}

TEST(CheckCover, finds_an_index_given_twice_by_one_rank) {
  const Grid icon = make_grid(GridKind::indexed, {"cell"}, {4});
  EXPECT_THAT(complaint(icon, {cells({0, 1, 1, 2, 3})}), HasSubstr("rank 0 holds cell=1 twice"));
}

TEST(CheckCover, leaves_replicated_and_partial_grids_alone) {
  Grid profile = make_grid(GridKind::partial, {"z"}, {4});
  const Region whole = Region::of_box({{0}, {4}});
  EXPECT_EQ(complaint(profile, {whole, whole}), "");
  profile.kind = GridKind::replicated;
  EXPECT_EQ(complaint(profile, {whole, whole}), "");
}

// Against a count of every cell: random boxes, so that most are wrong in some way.
TEST(CheckCover, agrees_with_counting_cells) {
  std::mt19937 random(7);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int good = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t ny = pick(1, 4), nx = pick(1, 4), cut = pick(0, ny), cut2 = pick(0, nx);
    std::vector<Region> regions{block(0, 0, cut, nx), block(cut, 0, ny - cut, cut2),
                                block(cut, cut2, ny - cut, nx - cut2)};
    if (pick(0, 2) == 0) {
      Region& spoilt = regions[base::index(pick(0, 2))];
      const std::int64_t y = pick(0, ny - 1), x = pick(0, nx - 1);
      spoilt = block(y, x, pick(0, ny - y), pick(0, nx - x));
    }
    std::vector<int> held(static_cast<std::size_t>(ny * nx), 0);
    for (const Region& region : regions)
      for (const auto& along : region.runs(0))
        for (const auto& across : region.runs(1))
          for (std::int64_t y = along.start; y < along.start + along.count; ++y)
            for (std::int64_t x = across.start; x < across.start + across.count; ++x)
              ++held[base::index(y * nx + x)];
    const auto missing = std::count(held.begin(), held.end(), 0);
    const bool overlap = std::any_of(held.begin(), held.end(), [](int ranks) { return ranks > 1; });
    const std::string said = complaint(plane(ny, nx), regions);
    if (overlap)
      EXPECT_THAT(said, HasSubstr("both hold"));
    else if (missing > 0)
      EXPECT_THAT(said,
                  AllOf(HasSubstr("no rank holds"), HasSubstr("(" + std::to_string(missing) + " cells")));
    else
      EXPECT_EQ(said, "");
    good += said.empty() ? 1 : 0;
  }
  EXPECT_GT(good, 500);
}

TEST(CheckCover, is_quick_for_many_ranks_and_runs) {
  std::vector<Region> blocks;
  for (std::int64_t y = 0; y < 100; ++y)
    for (std::int64_t x = 0; x < 100; ++x) blocks.push_back(block(40 * y, 30 * x, 40, 30));
  EXPECT_EQ(complaint(plane(4000, 3000), blocks), "");
  std::vector<std::int64_t> even, odd;
  for (std::int64_t i = 0; i < 200000; ++i) (i % 2 == 0 ? even : odd).push_back(i);
  const Grid icon = make_grid(GridKind::indexed, {"cell"}, {200000});
  EXPECT_EQ(complaint(icon, {cells(even), cells(odd)}), "");
}

}  // namespace
}  // namespace tailrace::model
