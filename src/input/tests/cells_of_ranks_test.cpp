#include "input/regridding/cells_of_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

model::Declarations curvilinear() {
  model::Declarations declarations;
  model::Grid& grid = declarations.grids.emplace_back();
  grid.name = "rotated";
  grid.dims = {"y", "x"};
  grid.shape = {2, 3};
  for (const char* name : {"lat", "lon"}) {
    model::Coordinate& coordinate = grid.coordinates.emplace_back();
    coordinate.name = name;
    coordinate.dims = grid.dims;
    coordinate.units = coordinate.name == "lat" ? "degrees_north" : "degrees_east";
    coordinate.field = 0;
  }
  return declarations;
}

// Cell n is at latitude n and longitude 10 n, with corners half a degree away.
regrid::RankCells cells(const model::Runs& runs) {
  regrid::RankCells made{.grid = 0, .numbers = runs, .geometry = {}};
  made.geometry.corners = 2;
  for (const model::Run& run : runs)
    for (std::int64_t n = run.start; n < run.start + run.count; ++n) {
      const auto lat = static_cast<double>(n), lon = 10.0 * lat;
      made.geometry.lat.push_back(lat);
      made.geometry.lon.push_back(lon);
      for (const double half : {-0.5, 0.5}) {
        made.geometry.lat_corners.push_back(lat + half);
        made.geometry.lon_corners.push_back(lon + half);
      }
    }
  return made;
}

std::string refusal(const CellsOfRanks& all) {
  try {
    all.of(0);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

TEST(CellsOfRanks, ComeInTheOrderOfTheirNumbers) {
  const model::Declarations declarations = curvilinear();
  CellsOfRanks all(declarations);
  all.add(cells({{4, 2}, {0, 1}}));
  all.add({.grid = 0, .numbers = {}, .geometry = {}});  // of a rank without cells, which knows no corners
  all.add(cells({{1, 3}}));
  const regrid::CellGeometry& geometry = all.of(0);
  EXPECT_THAT(geometry.lat, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(geometry.lon, ElementsAre(0, 10, 20, 30, 40, 50));
  EXPECT_THAT(geometry.lat_corners, ElementsAre(-0.5, 0.5, 0.5, 1.5, 1.5, 2.5, 2.5, 3.5, 3.5, 4.5, 4.5, 5.5));
  EXPECT_EQ(geometry.lon_corners.back(), 50.5);
  EXPECT_EQ(all.bytes(), 6 * (2 + 4) * sizeof(double));
  all.release();
  EXPECT_EQ(all.bytes(), 0u);
}

TEST(CellsOfRanks, AreRefusedIfNoRankHasOne) {
  const model::Declarations declarations = curvilinear();
  CellsOfRanks all(declarations);
  EXPECT_THAT(refusal(all), HasSubstr("no rank has cell 0"));
  all.add(cells({{0, 2}}));
  all.add(cells({{3, 3}}));
  EXPECT_THAT(refusal(all),
              HasSubstr("no rank has cell 2 (counted from 0) of the grid rotated of the model"));
  all.add(cells({{2, 1}}));
  EXPECT_EQ(refusal(all), "none");
}

}  // namespace
}  // namespace tailrace::input
