// The positions of trajectories.
#include "points/track.hpp"

#include <gmock/gmock.h>

namespace tailrace::points {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

Trajectories ways() {
  Trajectories all;
  all.coordinates = {"latitude", "longitude"};
  all.all = {{"A", {{{}, 10.0, {50.0, 170.0}}, {{}, 20.0, {60.0, -170.0}}, {{}, 40.0, {60.0, -100.0}}}},
             {"B", {{{}, 35.0, {1.0, 2.0}}}}};
  return all;
}

TEST(Track, GoesTheShorterWay) {
  const Trajectories all = ways();
  const auto& one = all.all[0];
  EXPECT_FALSE(place_at(all, one, 9.99));
  EXPECT_FALSE(place_at(all, one, 40.01));
  EXPECT_THAT(*place_at(all, one, 10.0), ElementsAre(50.0, 170.0));
  EXPECT_THAT(*place_at(all, one, 14.0), ElementsAre(54.0, DoubleNear(178.0, 1e-12)));
  EXPECT_THAT(*place_at(all, one, 16.0), ElementsAre(56.0, DoubleNear(-178.0, 1e-12)));
  EXPECT_THAT(*place_at(all, one, 20.0), ElementsAre(60.0, -170.0));
  EXPECT_THAT(*place_at(all, one, 40.0), ElementsAre(60.0, -100.0));
}

TEST(Track, InAWindowIsTheNearestInTime) {
  time::TimeRecord early, first, last;
  early.begin = 0.0, early.end = 8.0;
  first.begin = 8.0, first.end = 16.0;  // middle 12
  last.begin = 32.0, last.end = 60.0;   // middle 46
  const auto places = places_in(ways(), {early, first, last}, {4.0, 12.0, 46.0}, -1.0);
  EXPECT_THAT(places[0], ElementsAre(-1.0, -1.0, 52.0, -1.0, 60.0, 1.0));
  EXPECT_THAT(places[1], ElementsAre(-1.0, -1.0, 174.0, -1.0, -100.0, 2.0));
}

}  // namespace
}  // namespace tailrace::points
