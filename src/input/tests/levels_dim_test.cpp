#include "input/levels_dim.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

using testing::HasSubstr;

model::Coordinate along(const char* dim, const char* units, const char* name) {
  model::Coordinate coordinate;
  coordinate.name = name;
  coordinate.dims = {dim};
  coordinate.units = units;
  return coordinate;
}

model::Grid grid_of(std::vector<std::string> dims, std::vector<model::Coordinate> coordinates) {
  model::Grid grid;
  grid.name = "atmosphere";
  grid.dims = std::move(dims);
  grid.shape.assign(grid.dims.size(), 3);
  grid.coordinates = std::move(coordinates);
  return grid;
}

TEST(LevelsDim, is_that_of_the_coordinate_or_the_vertical_one) {
  const auto plane = {along("x", "degrees_east", "lon"), along("y", "degrees_north", "lat")};
  EXPECT_EQ(levels_dim(grid_of({"y", "k", "x"}, plane), "p_full"), 1)
      << "the only one that is not of a plane";
  auto with_levels = grid_of({"y", "x", "k", "tile"}, plane);
  EXPECT_THROW(levels_dim(with_levels, "p_full"), Error);
  with_levels.coordinates.push_back(along("k", "hPa", "level"));
  EXPECT_EQ(levels_dim(with_levels, "p_full"), 2);
  with_levels.coordinates.push_back(along("tile", "1", "height_of_tile"));
  EXPECT_EQ(levels_dim(with_levels, "height_of_tile"), 3) << "by its name";
  model::Grid listed = grid_of({"cell", "k"}, {});
  listed.indexed_dim = "cell";
  EXPECT_EQ(levels_dim(listed, "p_full"), 1);
}

TEST(LevelsDim, names_the_grid_that_has_none) {
  try {
    levels_dim(grid_of({"y", "x"}, {along("x", "degrees_east", "lon"), along("y", "degrees_north", "lat")}),
               "p");
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("of the dims of \"atmosphere\" (y, x) 0 are vertical"));
  }
}

}  // namespace
}  // namespace tailrace::input
