// Selection by value, with periodic longitudes.
#include <gmock/gmock.h>

#include "analytics/testing/use.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using List = std::vector<double>;

const Dims yx = {{"y", 2, true}, {"x", 6, true}};

Array numbered() { return array_of(yx, {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}); }

Call call_along_x(const List& range, const List& coordinate, bool turns = false) {
  Parameters parameters{{"x", range}, {"x.coordinates", coordinate}};
  if (turns) parameters["x.turn.coordinates"] = List{360.0};
  return call_of({yx}, {}, parameters);
}

std::vector<double> made(const Call& call, const std::string& dim, const DimCoordinate& coordinate) {
  Described described;
  described.coordinates = {nullptr, std::make_shared<DimCoordinate>(coordinate)};
  return find_operator("range")->coordinate_made(call, dim, {described})->values;
}

TEST(Range, takes_the_cells_between_two_values) {
  const Call rising = call_along_x({20, 40}, {10, 20, 25, 40, 60, 80});
  EXPECT_EQ(dims_of(shape_of("range", rising)), "y:2 x_3:3");
  EXPECT_THAT(result_of("range", rising, {numbered()}), ElementsAre(1, 2, 3, 11, 12, 13));
  const Call falling = call_along_x({20, 40}, {80, 60, 40, 25, 20, 10});
  EXPECT_THAT(result_of("range", falling, {numbered()}), ElementsAre(2, 3, 4, 12, 13, 14));
  EXPECT_EQ(dims_of(shape_of("range", call_along_x({0, 99}, {10, 20, 25, 40, 60, 80}))), "y:2 x:6");
  const auto* range = dynamic_cast<const Kernel*>(find_operator("range"));
  EXPECT_THAT(range->needs_whole(rising), ElementsAre("x"));
}

TEST(Range, joins_longitudes_from_both_ends) {
  const List globe{0, 60, 120, 180, 240, 300};
  const Call around = call_along_x({-130, 60}, globe, true);
  EXPECT_THAT(result_of("range", around, {numbered()}), ElementsAre(4, 5, 0, 1, 14, 15, 10, 11));
  EXPECT_THAT(made(around, "x_4", {"x", globe}), ElementsAre(-120, -60, 0, 60));
  const List west{-180, -120, -60, 0, 60, 120};
  const Call over = call_along_x({100, 250}, west, true);
  EXPECT_THAT(result_of("range", over, {numbered()}), ElementsAre(5, 0, 1, 15, 10, 11));
  EXPECT_THAT(made(over, "x_3", {"x", west}), ElementsAre(120, 180, 240));
  DimCoordinate bounded{"x", globe};
  for (const double value : globe) bounded.bounds.insert(bounded.bounds.end(), {value - 30, value + 30});
  Described described;
  described.coordinates = {nullptr, std::make_shared<DimCoordinate>(bounded)};
  const Call two = call_along_x({-60, 0}, globe, true);
  EXPECT_THAT(find_operator("range")->coordinate_made(two, "x_2", {described})->bounds,
              ElementsAre(-90, -30, -30, 30));
  EXPECT_THAT(problem_of("range", call_along_x({-60, -10}, globe)),
              HasSubstr("no cell of \"x\" lies from -60 to -10"))
      << "only longitudes are periodic";
}

TEST(Range, rejects_invalid_ranges) {
  const List x{10, 20, 25, 40, 60, 80};
  EXPECT_THAT(problem_of("range", call_along_x({21, 22}, x)),
              HasSubstr("no cell of \"x\" lies from 21 to 22: its coordinate goes from 10 to 80"));
  EXPECT_THAT(problem_of("range", call_along_x({40, 20}, x)),
              HasSubstr("takes the least and the largest value"));
  EXPECT_THAT(problem_of("range", call_along_x({40}, x)), HasSubstr("x= takes"));
  EXPECT_THAT(problem_of("range", call_of({yx}, {}, {{"x", List{1, 2}}})), HasSubstr("has no coordinate"));
  EXPECT_THAT(problem_of("range", call_of({yx}, {}, {{"w", List{1, 2}}})), HasSubstr("no dimension \"w\""));
  EXPECT_THAT(problem_of("range", call_of({yx})), HasSubstr("at least one DIM=[from, to]"));
}

}  // namespace
}  // namespace tailrace::analytics
