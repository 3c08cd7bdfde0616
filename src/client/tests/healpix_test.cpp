// A grid of HEALPix as ranks declare it.
#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "client/declarer.hpp"

namespace tailrace::client {
namespace {

using testing::ElementsAre;

HealpixArguments sky() { return {.name = "sky", .level = 1, .order = "nested", .cell_dim = "cell"}; }

std::string complaint(const HealpixArguments& arguments) {
  try {
    Declarer("toy", 0, 1).healpix_grid(arguments);
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
}

TEST(HealpixGrid, IsAListOrARange) {
  const std::vector<std::int64_t> listed{40, 41, 3};
  HealpixArguments by_list = sky(), by_range = sky();
  by_list.dims = by_range.dims = {"height"};
  by_list.shape = by_range.shape = {2};
  by_list.cells = listed;
  by_range.first = 0;
  by_range.count = 5;
  Declarer one("toy", 0, 2), other("toy", 1, 2);
  one.healpix_grid(by_list);
  other.healpix_grid(by_range);
  for (const Declarer* declarer : {&one, &other}) {
    const model::Grid& grid = declarer->declarations().grids.at(0);
    EXPECT_EQ(grid.kind, model::GridKind::indexed);
    EXPECT_THAT(grid.dims, ElementsAre("height", "cell"));
    EXPECT_THAT(grid.shape, ElementsAre(2, 48));
    EXPECT_EQ(grid.coordinates.at(0).standard_name, "healpix_index");
    EXPECT_EQ(model::text_of(grid.mapping->attributes, "indexing_scheme"), "nested");
  }
  EXPECT_EQ(one.blocks(0)[0].runs(1), (model::Runs{{40, 2}, {3, 1}}));
  EXPECT_EQ(other.blocks(0)[0].runs(1), (model::Runs{{0, 5}}));
}

TEST(HealpixGrid, HasTheNumbersOfItsCellsAsIntegers) {
  HealpixArguments arguments = sky();
  arguments.first = 7;
  arguments.count = 3;
  Declarer declarer("toy", 0, 2);
  declarer.healpix_grid(arguments);
  declarer.settle_coordinates();
  const model::Coordinate& numbers = declarer.declarations().grids.at(0).coordinates.at(0);
  ASSERT_TRUE(numbers.field);
  EXPECT_EQ(declarer.declarations().fields.at(base::index(*numbers.field)).type, model::DataType::int64);
}

TEST(HealpixGrid, RefusesWhatHealpixDoesNotHave) {
  const std::vector<std::int64_t> outside{3, 48};
  HealpixArguments wrong = sky();
  wrong.level = -1;
  EXPECT_EQ(complaint(wrong), "healpix_grid \"sky\": expected a level from 0 to 29, but got -1");
  wrong = sky();
  wrong.cells = outside;
  EXPECT_EQ(complaint(wrong), "healpix_grid \"sky\": the cell 48 is outside 0 to 47, the cells of level 1");
  wrong.count = 2;
  EXPECT_EQ(complaint(wrong),
            "healpix_grid \"sky\": expected either `first` and `count` or `cells`, but got both");
  wrong = sky();
  wrong.first = 40;
  wrong.count = 9;
  EXPECT_EQ(complaint(wrong),
            "healpix_grid \"sky\": 9 cells from 40 on are outside 0 to 47, the cells of level 1");
  wrong = sky();
  wrong.order = "rings";
  EXPECT_EQ(
      complaint(wrong),
      "healpix_grid \"sky\": the order \"rings\" is unknown. Did you mean \"ring\"? (known: nested, ring)");
}

}  // namespace
}  // namespace tailrace::client
