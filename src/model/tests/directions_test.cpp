#include "model/directions.hpp"

#include <gtest/gtest.h>

namespace tailrace::model {
namespace {

Coordinate coordinate(const std::string& name, std::vector<std::string> dims, const std::string& units,
                      const std::string& standard_name = "") {
  Coordinate made;
  made.name = name;
  made.dims = std::move(dims);
  made.units = units;
  made.standard_name = standard_name;
  return made;
}

TEST(HorizontalCoordinates, AreThoseOfCells) {
  Grid grid;
  grid.dims = {"y", "x"};
  EXPECT_EQ(horizontal_coordinates(grid).lat, nullptr);
  grid.coordinates = {coordinate("nominal_lat", {"y"}, "degrees_north"),
                      coordinate("rlat", {"y"}, "degrees_north", "grid_latitude"),
                      coordinate("height", {}, "m"), coordinate("nominal_lon", {"x"}, "degrees_east"),
                      coordinate("station", {}, "degrees_east")};
  EXPECT_EQ(horizontal_coordinates(grid).lat->name, "nominal_lat");
  EXPECT_EQ(horizontal_coordinates(grid).lon->name, "nominal_lon");
  EXPECT_TRUE(horizontal_coordinates(grid).are_axes());
  grid.coordinates.push_back(coordinate("glat", {"y", "x"}, "degrees_north"));
  grid.coordinates.push_back(coordinate("glon", {"y", "x"}, "degrees_east"));
  EXPECT_EQ(horizontal_coordinates(grid).lat->name, "glat");
  EXPECT_EQ(horizontal_coordinates(grid).lon->name, "glon");
  EXPECT_FALSE(horizontal_coordinates(grid).are_axes());
}

}  // namespace
}  // namespace tailrace::model
