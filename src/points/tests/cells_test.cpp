// The cells next to a place, along a coordinate and in a list.
#include <gmock/gmock.h>

#include <limits>

#include "points/line.hpp"
#include "points/nearest_cell.hpp"

namespace tailrace::points {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

model::Coordinate coordinate(const std::string& name, const std::vector<std::string>& dims,
                             std::vector<double> values, const std::string& units = "m") {
  model::Coordinate made;
  made.name = name;
  made.dims = dims;
  made.values = std::move(values);
  made.units = units;
  return made;
}

TEST(Line, FindsTheNearestCell) {
  const auto x = coordinate("x", {"x"}, {10, 20, 40});
  const Line line(x, false);
  EXPECT_THAT(line.nearest(14), ElementsAre(Share{0, 1.0}));
  EXPECT_THAT(line.nearest(15), ElementsAre(Share{1, 1.0}));
  EXPECT_THAT(line.nearest(5), ElementsAre(Share{0, 1.0}));
  EXPECT_THAT(line.nearest(49.9), ElementsAre(Share{2, 1.0}));
  EXPECT_THAT(line.nearest(4.9), IsEmpty());
  EXPECT_THAT(line.nearest(50.1), IsEmpty());
  auto bounded = x;
  bounded.bounds = {0, 15, 15, 30, 30, 41};
  EXPECT_THAT(Line(bounded, false).nearest(4.9), ElementsAre(Share{0, 1.0}));
  EXPECT_THAT(Line(bounded, false).nearest(42), IsEmpty());
}

TEST(Line, FindsTheCellsAround) {
  const auto falling = coordinate("x", {"x"}, {40, 20, 10});
  const Line line(falling, false);
  EXPECT_THAT(line.between(25), ElementsAre(Share{0, 0.25}, Share{1, 0.75}));
  EXPECT_THAT(line.between(10), ElementsAre(Share{2, 1.0}));
  EXPECT_THAT(line.between(9), IsEmpty());
}

TEST(Line, TurnsAroundTheGlobe) {
  const auto globe = coordinate("lon", {"lon"}, {-180, -90, 0, 90}, "degrees_east");
  const Line ring(globe, true);
  EXPECT_TRUE(ring.is_ring());
  EXPECT_THAT(ring.nearest(269), ElementsAre(Share{1, 1.0}));
  EXPECT_THAT(ring.nearest(170), ElementsAre(Share{0, 1.0}));
  EXPECT_THAT(ring.between(112.5), ElementsAre(Share{3, 0.75}, Share{0, 0.25}));
  EXPECT_THAT(ring.between(450), ElementsAre(Share{3, 1.0}));
  const auto part = coordinate("lon", {"lon"}, {170, 180, 190}, "degrees_east");
  const Line regional(part, true);
  EXPECT_FALSE(regional.is_ring());
  EXPECT_THAT(regional.nearest(-171), ElementsAre(Share{2, 1.0}));
  EXPECT_THAT(regional.nearest(-160), IsEmpty());
  EXPECT_THAT(regional.between(-175), ElementsAre(Share{1, 0.5}, Share{2, 0.5}));
}

TEST(Line, LongitudesMayJump) {
  const auto lon = coordinate("lon", {"lon"}, {180, 240, 300, 0, 60, 120}, "degrees_east");
  EXPECT_FALSE(line_complaint(lon, true));
  EXPECT_EQ(line_complaint(lon, false), "it increases to 300 at index 2, then decreases to 0");
  EXPECT_EQ(line_complaint(coordinate("lon", {"lon"}, {0, 120, 240, 0, 120}), true),
            "it increases to 240 at index 2, then decreases to 0");
  const Line ring(lon, true);
  EXPECT_TRUE(ring.is_ring());
  EXPECT_THAT(ring.nearest(-20), ElementsAre(Share{3, 1.0}));
  EXPECT_THAT(ring.nearest(200), ElementsAre(Share{0, 1.0}));
  EXPECT_THAT(ring.between(345), ElementsAre(Share{2, 0.25}, Share{3, 0.75}));
  EXPECT_THAT(ring.between(150), ElementsAre(Share{5, 0.5}, Share{0, 0.5}));
  auto part = coordinate("lon", {"lon"}, {330, 0, 30}, "degrees_east");
  part.bounds = {315, 345, 345, 15, 15, 50};
  const Line regional(part, true);
  EXPECT_FALSE(regional.is_ring());
  EXPECT_THAT(regional.nearest(48), ElementsAre(Share{2, 1.0}));
  EXPECT_THAT(regional.nearest(-44), ElementsAre(Share{0, 1.0}));
  EXPECT_THAT(regional.nearest(52), IsEmpty());
  EXPECT_THAT(regional.nearest(-46), IsEmpty());
}

TEST(CellSearch, LeavesOutCellsWithoutAPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> lat{nan, -999, 40}, lon{10, 10, 50};
  EXPECT_EQ(CellSearch({lat, lon}, 1).nearest({81, 10}).cell, 2);
  Reach reach;
  reach.add(std::vector<double>{3, nan, 5});
  EXPECT_EQ(reach.low, 3);
  EXPECT_EQ(reach.high, 5);
}

TEST(CellSearch, MeasuresOnTheSphere) {
  const std::vector<double> lat{80, 80, 0}, lon{0, 170, 350};
  const CellSearch search({lat, lon}, 1);
  EXPECT_EQ(search.nearest({88, 180}).cell, 1);
  EXPECT_EQ(search.nearest({10, 2}).cell, 2);
  EXPECT_EQ(CellSearch({lat, lon}, -1).nearest({10, 2}).cell, 0);
  EXPECT_TRUE((Candidate{1.0, 3}).is_before({1.0, 4}));
  EXPECT_FALSE((Candidate{}).is_before({1.0, 4}));
  EXPECT_TRUE((Candidate{1.0, 4}).is_before({}));
}

}  // namespace
}  // namespace tailrace::points
