#include "model/holes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/index.hpp"

namespace tailrace::model {
namespace {

Grid make_grid(const std::string& name, const std::vector<std::string>& dims,
               const std::vector<std::int64_t>& shape) {
  Grid grid;
  grid.name = name;
  grid.kind = GridKind::block;
  grid.dims = dims;
  grid.shape = shape;
  grid.holes_are_missing = true;
  return grid;
}

Box box(std::int64_t y, std::int64_t x, std::int64_t ny, std::int64_t nx) { return {{y, x}, {ny, nx}}; }

// How often each cell of a plane is in one of the boxes.
std::vector<int> counts(std::int64_t ny, std::int64_t nx, const std::vector<Box>& boxes) {
  std::vector<int> held(base::index(ny * nx), 0);
  for (const Box& one : boxes)
    for (std::int64_t y = one.offset[0]; y < one.offset[0] + one.count[0]; ++y)
      for (std::int64_t x = one.offset[1]; x < one.offset[1] + one.count[1]; ++x)
        ++held[base::index(y * nx + x)];
  return held;
}

// By part: its cells, as positions in C order.
std::vector<int> held_by_parts(const Grid& grid, const Regions& regions) {
  std::vector<int> held(base::index(grid.size()), 0);
  for (std::size_t part = 0; part < regions.size(); ++part)
    for (const Segment& segment :
         intersect(regions[part], {std::vector<std::int64_t>(grid.shape.size(), 0), grid.shape}))
      for (std::int64_t i = 0; i < segment.count; ++i) ++held[base::index(segment.target + i)];
  return held;
}

TEST(CellsOutside, joins_what_is_next_to_each_other) {
  EXPECT_EQ(cells_outside({4, 6}, {box(0, 0, 2, 3), box(2, 0, 2, 3)}), std::vector{box(0, 3, 4, 3)});
  EXPECT_EQ(cells_outside({4, 6}, {box(0, 0, 4, 6)}), std::vector<Box>{});
  EXPECT_EQ(cells_outside({4, 6}, {}), std::vector{box(0, 0, 4, 6)});
  EXPECT_EQ(cells_outside({4, 6}, {box(1, 2, 2, 3), box(0, 0, 0, 4)}),
            (std::vector{box(0, 0, 1, 6), box(1, 0, 2, 2), box(1, 5, 2, 1), box(3, 0, 1, 6)}));
}

// Against a count of every cell.
TEST(CellsOutside, holds_every_other_cell_once) {
  std::mt19937 random(11);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 500; ++round) {
    const std::int64_t ny = pick(1, 7), nx = pick(1, 8);
    std::vector<Box> boxes;
    for (int tries = 0; tries < 6; ++tries) {
      const std::int64_t y = pick(0, ny - 1), x = pick(0, nx - 1);
      std::vector<Box> more = boxes;
      more.push_back(box(y, x, pick(0, ny - y), pick(0, nx - x)));
      if (std::ranges::all_of(counts(ny, nx, more), [](int count) { return count < 2; })) boxes = more;
    }
    std::vector<Box> all = cells_outside({ny, nx}, boxes);
    all.insert(all.end(), boxes.begin(), boxes.end());
    EXPECT_EQ(counts(ny, nx, all), std::vector<int>(base::index(ny * nx), 1));
  }
}

TEST(WithHoles, gives_each_cell_to_one_part_and_shares_parts_between_levels) {
  Declarations declarations;
  declarations.grids = {make_grid("deep", {"z", "y", "x"}, {3, 4, 6}), make_grid("flat", {"y", "x"}, {4, 6}),
                        make_grid("line", {"z"}, {3})};
  declarations.grids[2].kind = GridKind::replicated;
  declarations.grids[2].holes_are_missing = false;
  Decomposition decomposition;
  decomposition.regions = {
      Regions{Region::of_box({{0, 0, 0}, {3, 2, 3}}), Region::of_box({{0, 0, 0}, {0, 0, 0}}),
              Region::of_box({{0, 2, 2}, {3, 2, 4}})},
      Regions{Region::of_box(box(0, 0, 2, 3)), Region::of_box(box(0, 0, 0, 0)),
              Region::of_box(box(2, 2, 2, 4))},
      Regions{Region::of_box({{0}, {3}}), Region::of_box({{0}, {0}}), Region::of_box({{0}, {0}})}};
  const Decomposition found = with_holes(declarations, decomposition);
  ASSERT_EQ(found.further.size(), 2);  // y=0..1, x=3..5 and y=2..3, x=0..1
  EXPECT_EQ(found.ranks(), 3);
  EXPECT_EQ(found.further[0],
            (FurtherPart{0, true}));  // ranks without cells put nothing, so they have no holes
  EXPECT_EQ(found.further[1], (FurtherPart{2, true}));
  EXPECT_EQ(held_by_parts(declarations.grids[0], found.regions[0]), std::vector<int>(72, 1));
  EXPECT_EQ(held_by_parts(declarations.grids[1], found.regions[1]), std::vector<int>(24, 1));
  for (std::size_t part = 3; part < 5; ++part) {
    EXPECT_EQ(found.regions[0][part].runs(1), found.regions[1][part].runs(0));
    EXPECT_EQ(found.regions[0][part].runs(2), found.regions[1][part].runs(1));
    EXPECT_EQ(found.regions[2][part].size(), 0);
  }
  EXPECT_EQ(Decomposition::from_bytes(found.to_bytes()).further, found.further);
  EXPECT_EQ(Decomposition::from_bytes(found.to_bytes()).regions, found.regions);
}

TEST(WithHoles, makes_no_part_larger_than_those_of_ranks) {
  Declarations declarations;
  declarations.grids = {make_grid("g", {"y", "x"}, {40, 60})};
  Decomposition decomposition;
  decomposition.regions = {Regions{Region::of_box(box(0, 0, 5, 6)), Region::of_box(box(5, 0, 5, 7))}};
  const Decomposition found = with_holes(declarations, decomposition);
  EXPECT_EQ(held_by_parts(declarations.grids[0], found.regions[0]), std::vector<int>(2400, 1));
  for (std::size_t part = 0; part < found.parts(); ++part) EXPECT_LE(found.regions[0][part].size(), 35);
}

TEST(WithHoles, joins_scattered_cells_of_an_indexed_grid) {
  Declarations declarations;
  declarations.grids = {make_grid("ico", {"level", "cell"}, {2, 101})};
  declarations.grids[0].kind = GridKind::indexed;
  declarations.grids[0].indexed_dim = "cell";
  std::vector<std::int64_t> odd;
  for (std::int64_t cell = 1; cell < 101; cell += 2) odd.push_back(cell);
  Decomposition decomposition;
  decomposition.regions = {Regions{Region({{{0, 2}}, compress(odd)})}};
  const Decomposition found = with_holes(declarations, decomposition);
  EXPECT_EQ(found.further.size(), 2);  // 51 cells, in parts of at most 50
  EXPECT_EQ(held_by_parts(declarations.grids[0], found.regions[0]), std::vector<int>(202, 1));
}

// A third of 100,000 ranks are on land, and their places are scattered.
TEST(WithHoles, stays_fast_with_many_ranks) {
  Declarations declarations;
  declarations.grids = {make_grid("ocean", {"z", "y", "x"}, {75, 300 * 20, 500 * 30})};
  std::vector<Region> regions;
  std::mt19937 random(3);
  for (std::int64_t y = 0; y < 300; ++y)
    for (std::int64_t x = 0; x < 500; ++x)
      if (std::uniform_int_distribution<int>(0, 2)(random) > 0)
        regions.push_back(Region::of_box({{0, y * 20, x * 30}, {75, 20, 30}}));
  Decomposition decomposition;
  decomposition.regions = {Regions(regions)};
  const Decomposition found = with_holes(declarations, decomposition);
  std::int64_t cells = 0;
  for (std::size_t part = 0; part < found.parts(); ++part) cells += found.regions[0][part].size();
  EXPECT_EQ(cells, declarations.grids[0].size());
  EXPECT_LE(found.further.size(), 300 * 500 - regions.size());
}

}  // namespace
}  // namespace tailrace::model
