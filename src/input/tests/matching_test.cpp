#include "input/matching.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Dim time_dim{"time", 12, DimKind::time};
const Dim lat{"lat", 3, DimKind::latitude, {-45, 0, 45}};
const Dim lon{"lon", 4, DimKind::longitude, {0, 90, 180, 270}};
const Dim lev{"lev", 2, DimKind::vertical, {1000, 500}};

std::string refusal(const std::vector<Dim>& file, const std::vector<Dim>& grid, const Selected& selected = {},
                    bool interpolates = false) {
  try {
    match_dims(file, grid, selected, interpolates);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Matching, finds_dims_in_any_order) {
  const Match match = match_dims({lon, time_dim, lev, lat}, {lev, lat, lon}, {}, false);
  EXPECT_EQ(match.time, 1);
  EXPECT_THAT(match.file_dim, ElementsAre(2, 3, 0));
  EXPECT_THAT(match.cells, ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1, 2), ElementsAre(0, 1, 2, 3)));
  EXPECT_THAT(match.fixed, ElementsAre(-1, -1, -1, -1));
}

TEST(Matching, finds_cells_by_their_coordinates) {
  const Dim south{"latitude", 3, DimKind::latitude, {45.00001, 0, -45}};
  const Dim around{"longitude", 4, DimKind::longitude, {-180, -90, 0, 90}};
  const Match match = match_dims({time_dim, south, around}, {lat, lon}, {}, false);
  EXPECT_THAT(match.cells, ElementsAre(ElementsAre(2, 1, 0), ElementsAre(2, 3, 0, 1)));
  const Dim part{"x", 2, DimKind::longitude, {350, 370}},
      whole{"lon",
            18,
            DimKind::longitude,
            {-170, -150, -130, -110, -90, -70, -50, -30, -10, 10, 30, 50, 70, 90, 110, 130, 150, 170}};
  EXPECT_THAT(match_dims({whole}, {part}, {}, false).cells, ElementsAre(ElementsAre(8, 9)))
      << "a part of the file";
}

TEST(Matching, dims_without_coordinates_fit_by_name_or_in_order) {
  const Dim y{"y", 5}, x{"x", 7}, j{"j", 5}, i{"i", 7};
  EXPECT_THAT(match_dims({x, y}, {y, x}, {}, false).file_dim, ElementsAre(1, 0));
  EXPECT_THAT(match_dims({time_dim, j, i}, {y, x}, {}, false).file_dim, ElementsAre(1, 2));
  EXPECT_THAT(refusal({time_dim, i, j}, {y, x}),
              HasSubstr("dim i of the file (7 cells) is none of the grid's (y, x)"));
  EXPECT_THAT(
      refusal({{"y", 6}, x}, {y, x}),
      HasSubstr(
          "dim y has 6 cells and y of the grid 5; expected as many, since the file's has no coordinate"));
}

TEST(Matching, a_kind_is_not_guessed) {
  EXPECT_THAT(
      refusal({lev, lat, lon}, {{"level_2", 2}, lat, lon}),
      HasSubstr("choose an index by `select`, or give level_2 of the grid a coordinate with its units or "
                "axis if it is the same"));
  EXPECT_THAT(refusal({lev, lat, lon}, {{"level_3", 3}, lat, lon}), ::testing::EndsWith("by `select`"));
}

TEST(Matching, other_dims_are_selected_or_have_one_cell) {
  const Dim member{"member", 5}, height{"height", 1, DimKind::vertical, {2}};
  const Match match = match_dims({member, time_dim, height, lat, lon}, {lat, lon}, {{"member", 3}}, false);
  EXPECT_THAT(match.fixed, ElementsAre(3, -1, 0, -1, -1));
  EXPECT_THAT(
      refusal({member, lat, lon}, {lat, lon}),
      HasSubstr(
          "dim member of the file (5 cells) is none of the grid's (lat, lon); choose an index by `select`"));
  EXPECT_THAT(refusal({member, lat, lon}, {lat, lon}, {{"membre", 3}}),
              HasSubstr("Did you mean \"member\"?"));
  EXPECT_THAT(refusal({member, lat, lon}, {lat, lon}, {{"member", 5}}),
              HasSubstr("index 5 (counted from 0)"));
}

TEST(Matching, a_dim_that_the_file_lacks_has_one_value) {
  const Match match = match_dims({time_dim, lat}, {lev, lat, lon}, {}, false);
  EXPECT_THAT(match.file_dim, ElementsAre(-1, 1, -1));
  EXPECT_THAT(match.cells[0], IsEmpty());
  EXPECT_THAT(match.cells[2], IsEmpty());
}

TEST(Matching, interpolated_levels_may_differ) {
  const Dim other{"plev", 4, DimKind::vertical, {1000, 850, 500, 200}};
  const Match match = match_dims({other, lat, lon}, {lev, lat, lon}, {}, true);
  EXPECT_EQ(match.file_dim[0], 0);
  EXPECT_THAT(match.cells[0], IsEmpty());
  EXPECT_THAT(match_dims({other, lat, lon}, {lev, lat, lon}, {}, false).cells[0], ElementsAre(0, 2));
}

TEST(Matching, refuses_cells_that_the_file_lacks) {
  const Dim coarse{"lat", 2, DimKind::latitude, {-45, 45}};
  EXPECT_EQ(
      refusal({coarse, lon}, {lat, lon}),
      "the grid has a cell at lat = 0, and the nearest one of the file is at -45; expected the same cells");
  EXPECT_THAT(refusal({lat, {"lat2", 3, DimKind::latitude}, lon}, {lat, lon}),
              HasSubstr("dims lat and lat2 of the file both fit lat of the grid by its kind"));
  EXPECT_THAT(refusal({time_dim, {"forecast", 3, DimKind::time}, lat, lon}, {lat, lon}),
              HasSubstr("time and forecast are both dims of time"));
}

TEST(Matching, kinds_of_dims_follow_cf) {
  EXPECT_EQ(kind_of("days since 2000-01-01", "", "", ""), DimKind::time);
  EXPECT_EQ(kind_of("degrees_north", "", "", ""), DimKind::latitude);
  EXPECT_EQ(kind_of("degrees", "grid_longitude", "X", ""), DimKind::longitude);
  EXPECT_EQ(kind_of("hPa", "", "", ""), DimKind::vertical);
  EXPECT_EQ(kind_of("1", "", "", "down"), DimKind::vertical);
  EXPECT_EQ(kind_of("m", "projection_x_coordinate", "X", ""), DimKind::other);
}

}  // namespace
}  // namespace tailrace::input
