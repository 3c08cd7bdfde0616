#include "pipeline/regridding/block_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "regrid/needs.hpp"

namespace tailrace::pipeline::regridding {
namespace {

using model::DataType;

model::Grid grid_of(std::vector<std::string> dims, std::vector<std::int64_t> shape) {
  model::Grid grid;
  grid.name = "g";
  grid.dims = std::move(dims);
  grid.shape = std::move(shape);
  return grid;
}

// The numbers of a part's cells in C order over the whole grid.
std::vector<double> numbers_of(const model::Region& region, const std::vector<std::int64_t>& shape) {
  std::vector<double> values;
  const std::function<void(std::size_t, std::int64_t)> visit = [&](std::size_t d, std::int64_t number) {
    if (d == shape.size()) return values.push_back(static_cast<double>(number));
    for (const model::Run& run : region.runs(d))
      for (std::int64_t i = run.start; i < run.start + run.count; ++i) visit(d + 1, number * shape[d] + i);
  };
  visit(0, 0);
  return values;
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

// Packs some cells of all parts and places them: each must be where (level, wanted cell) has it.
void check(const model::Grid& grid, const std::vector<model::Region>& parts) {
  const GridDims dims = dims_of(grid, {"y", "x"});
  const model::Runs wanted{{1, 2}, {5, 7}, {20, 1}};
  const std::int64_t count = 10;
  std::vector<double> packed(static_cast<std::size_t>(dims.levels * count), -1.0);
  for (const model::Region& part : parts) {
    model::Region horizontal;
    horizontal.assign_part(part, dims.horizontal);
    const auto cells = regrid::share_of_part(horizontal, dims.shape, wanted);
    const BlockCells block(part, grid, dims);
    std::int64_t own = 0;
    for (const model::Segment& cell : cells) own += cell.count;
    std::vector<double> piece(static_cast<std::size_t>(block.levels() * own));
    const std::vector<double> values = numbers_of(part, grid.shape);
    block.pack(cells, {}, bytes_of(values), std::as_writable_bytes(std::span(piece)).data());
    block.place(cells, sizeof(double), bytes_of(piece), count,
                std::as_writable_bytes(std::span(packed)).data());
  }
  // The same from an array of the whole grid.
  std::vector<model::Runs> all;
  for (const std::int64_t extent : grid.shape) all.push_back({{0, extent}});
  const model::Region whole(all);
  model::Region horizontal;
  horizontal.assign_part(whole, dims.horizontal);
  const auto cells = regrid::share_of_part(horizontal, dims.shape, wanted);
  std::vector<double> expected(packed.size());
  const std::vector<double> values = numbers_of(whole, grid.shape);
  BlockCells(whole, grid, dims)
      .pack(cells, {}, bytes_of(values), std::as_writable_bytes(std::span(expected)).data());
  EXPECT_EQ(packed, expected);
}

TEST(BlockCells, LevelsBeforeTheHorizontalDims) {
  const model::Grid grid = grid_of({"z", "y", "x"}, {3, 4, 7});
  check(grid, {model::Region({{{0, 3}}, {{0, 4}}, {{0, 3}}}), model::Region({{{0, 3}}, {{0, 4}}, {{3, 4}}})});
  const model::Region whole({{{0, 3}}, {{0, 4}}, {{0, 7}}});
  const std::vector<double> values = numbers_of(whole, grid.shape);
  const std::vector<model::Segment> two{{5, 0, 2}};
  std::vector<double> packed(6);
  BlockCells(whole, grid, dims_of(grid, {"y", "x"}))
      .pack(two, {}, bytes_of(values), std::as_writable_bytes(std::span(packed)).data());
  EXPECT_EQ(packed, (std::vector<double>{5, 6, 33, 34, 61, 62}));
}

TEST(BlockCells, LevelsBehindAndBetween) {
  check(grid_of({"y", "x", "z"}, {4, 7, 3}),
        {model::Region({{{0, 2}}, {{0, 7}}, {{0, 3}}}), model::Region({{{2, 2}}, {{0, 7}}, {{0, 3}}})});
  check(grid_of({"y", "z", "x"}, {4, 3, 7}),
        {model::Region({{{0, 4}}, {{0, 3}}, {{0, 2}}}), model::Region({{{0, 4}}, {{0, 3}}, {{2, 5}}})});
}

TEST(BlockCells, LevelsDividedAmongParts) {
  check(grid_of({"z", "y", "x"}, {3, 4, 7}), {model::Region({{{0, 1}, {2, 1}}, {{0, 4}}, {{0, 7}}}),
                                              model::Region({{{1, 1}}, {{0, 4}}, {{0, 7}}})});
}

TEST(BlockCells, ScatteredColumns) {
  check(grid_of({"z", "y", "x"}, {3, 4, 7}), {model::Region({{{0, 3}}, {{0, 4}}, {{0, 1}, {3, 1}, {6, 1}}}),
                                              model::Region({{{0, 3}}, {{0, 4}}, {{1, 2}, {4, 2}}})});
}

TEST(BlockCells, ConvertsTypesAndMissingValues) {
  const model::Grid grid = grid_of({"y", "x"}, {1, 4});
  const BlockCells block(model::Region({{{0, 1}}, {{0, 4}}}), grid, dims_of(grid, {"y", "x"}));
  const std::vector<model::Segment> all{{0, 0, 4}};
  const std::vector<std::int32_t> values{7, -1, 16777217, -2147483647};
  std::vector<double> packed(4);
  block.pack(all, {DataType::int32, DataType::float64, model::FillValue(-1.0), model::FillValue(1e20)},
             bytes_of(values), std::as_writable_bytes(std::span(packed)).data());
  EXPECT_EQ(packed, (std::vector<double>{7.0, 1e20, 16777217.0, -2147483647.0}));
  const std::vector<float> real{1.5F, std::numeric_limits<float>::quiet_NaN(), 2.0F, -3.0F};
  std::vector<float> same(4);
  block.pack(all,
             {DataType::float32, DataType::float32, model::FillValue(std::nan("")), model::FillValue(-9.0)},
             bytes_of(real), std::as_writable_bytes(std::span(same)).data());
  EXPECT_EQ(same, (std::vector<float>{1.5F, -9.0F, 2.0F, -3.0F}));
}

TEST(BlockCells, TargetsMayHaveDimsBehindTheirCells) {
  // Two outer levels, three inner ones, four cells.
  std::vector<float> levels(24), placed(24);
  std::iota(levels.begin(), levels.end(), 0.0F);
  from_levels(bytes_of(levels), 4, 3, sizeof(float), std::as_writable_bytes(std::span(placed)).data());
  for (int outer = 0; outer < 2; ++outer)
    for (int inner = 0; inner < 3; ++inner)
      for (int cell = 0; cell < 4; ++cell)
        EXPECT_EQ(placed[static_cast<std::size_t>((outer * 4 + cell) * 3 + inner)],
                  levels[static_cast<std::size_t>((outer * 3 + inner) * 4 + cell)]);
}

}  // namespace
}  // namespace tailrace::pipeline::regridding
