// any, all, argmin, argmax, histogram and vertical_integral against loops over all cells.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "analytics/testing/use.hpp"
#include "base/index.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const Dims yx = {{"y", 3, true}, {"x", 4, true}};
const Dims zyx = {{"z", 4, false}, {"y", 5, true}, {"x", 6, true}};

double at(const Array& a, std::int64_t z, std::int64_t y, std::int64_t x) {
  const auto counts = a.region.counts();
  return a.values[base::index((z * counts[1] + y) * counts[2] + x)];
}

TEST(Operators, any_and_all) {
  const Array a = array_of(yx, {0, 0, 0, 0, 1, 2, nan, -1, 0, nan, 0, 3});
  EXPECT_THAT(result_of("any", call_of({yx}, {"x"}), {a}), ElementsAre(0, 1, 1));
  EXPECT_THAT(result_of("all", call_of({yx}, {"x"}), {a}), ElementsAre(0, 1, 0));
  EXPECT_THAT(result_of("any", call_of({yx}, {"y"}, {{"skip_missing", 1.0}}), {a}), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(result_of("all", call_of({yx}), {a}), ElementsAre(0));
  expect_values(result_of("any", call_of({yx}, {}, {{"skip_missing", 1.0}}),
                          {array_of(yx, std::vector<double>(12, nan))}),
                {nan});
}

TEST(Operators, places_of_extremes) {
  Random random(5);
  const Array a = random_array({zyx, std::nullopt}, Kind::smooth, random);
  std::vector<double> lowest_z, highest_y, highest_x;
  for (std::int64_t y = 0; y < 5; ++y)
    for (std::int64_t x = 0; x < 6; ++x) {
      std::int64_t best = 0;
      for (std::int64_t z = 1; z < 4; ++z)
        if (at(a, z, y, x) < at(a, best, y, x)) best = z;
      lowest_z.push_back(static_cast<double>(best));
    }
  for (std::int64_t z = 0; z < 4; ++z) {
    std::int64_t best_y = 0, best_x = 0;
    for (std::int64_t y = 0; y < 5; ++y)
      for (std::int64_t x = 0; x < 6; ++x)
        if (at(a, z, y, x) > at(a, z, best_y, best_x)) best_y = y, best_x = x;
    highest_y.push_back(static_cast<double>(best_y));
    highest_x.push_back(static_cast<double>(best_x));
  }
  expect_values(result_of("argmin", call_of({zyx}, {"z"}), {a}), lowest_z);
  expect_values(result_of("argmax", call_of({zyx}, {"x", "y"}, {{"along", "y"}}), {a}), highest_y);
  expect_values(result_of("argmax", call_of({zyx}, {"y", "x"}, {{"along", "x"}}), {a}), highest_x);
}

TEST(Operators, places_of_equals_and_missing) {
  const Array ties = array_of(yx, {5, 1, 1, 5, 2, 2, 2, 2, 3, nan, 9, nan});
  EXPECT_THAT(result_of("argmin", call_of({yx}, {"x"}), {ties}), ElementsAre(1, 0, 1));
  EXPECT_THAT(result_of("argmax", call_of({yx}, {"x"}, {{"skip_missing", 1.0}}), {ties}),
              ElementsAre(0, 0, 2));
  EXPECT_THAT(result_of("argmin", call_of({yx}, {}, {{"along", "y"}}), {ties}), ElementsAre(2));
  EXPECT_THAT(result_of("argmin", call_of({yx}, {}, {{"along", "x"}, {"skip_missing", 1.0}}), {ties}),
              ElementsAre(1));
}

TEST(Operators, places_as_coordinates) {
  const Array a = array_of(yx, {5, 1, 1, 5, 2, 0, 2, 2, 3, 4, 9, 8});
  const std::vector<double> coordinate = {10, 20, 40, 80};
  Call call = call_of({yx}, {"x"}, {{"give", "coordinate"}});
  EXPECT_THAT(find_operator("argmax")->coordinates_wanted(call), ElementsAre("x"));
  EXPECT_THAT(problem_of("argmax", call), HasSubstr("\"x\" has no coordinate"));
  call.parameters["x.coordinates"] = coordinate;
  EXPECT_THAT(result_of("argmax", call, {a}), ElementsAre(10, 10, 40));
  EXPECT_THAT(result_of("argmin", call_of({yx}, {"x"}, {{"coordinates", coordinate}}), {a}),
              ElementsAre(20, 20, 10));
  EXPECT_THAT(problem_of("argmin", call_of({yx}, {"y"}, {{"coordinates", coordinate}})),
              HasSubstr("as long as"));
  EXPECT_THAT(problem_of("argmin", call_of({yx})), HasSubstr("along: needs along"));
  EXPECT_THAT(problem_of("argmin", call_of({zyx}, {"y", "x"}, {{"along", "z"}})),
              HasSubstr("not one of the consumed"));
}

TEST(Operators, histogram_closes_the_last_bin) {
  const Dims x = {{"x", 9, true}};
  const Array a = array_of(x, {0, 0.5, 1, 1.5, 2, 3, 3.0001, -0.1, nan});
  EXPECT_THAT(result_of("histogram", call_of({x}, {}, {{"edges", std::vector<double>{0, 1, 2, 3}}}), {a}),
              ElementsAre(2, 2, 2));
  EXPECT_THAT(result_of("histogram", call_of({x}, {"x"}, {{"bins", 2.0}, {"low", 0.0}, {"high", 2.0}}), {a}),
              ElementsAre(2, 3));
  EXPECT_THAT(result_of("histogram", call_of({x}, {}, {{"edges", std::vector<double>{0, 1, 1, 3}}}), {a}),
              ElementsAre(2, 0, 4));
}

TEST(Operators, histogram_of_each_level) {
  Random random(6);
  const Array a = random_array({zyx, std::nullopt}, Kind::missing, random);
  std::vector<double> expected(4 * 5, 0.0);
  for (std::int64_t z = 0; z < 4; ++z)
    for (std::int64_t y = 0; y < 5; ++y)
      for (std::int64_t x = 0; x < 6; ++x)
        for (std::size_t b = 0; b < 5; ++b) {
          const double low = -1.0 + 0.4 * static_cast<double>(b);
          if (at(a, z, y, x) >= low && at(a, z, y, x) < low + 0.4) expected[base::index(z) * 5 + b] += 1.0;
        }
  const Call call =
      call_of({zyx}, {"y", "x"}, {{"bins", 5.0}, {"low", -1.0}, {"high", 1.0}, {"dim", "th_bin"}});
  expect_values(result_of("histogram", call, {a}), expected);
  EXPECT_EQ(dims_of(shape_of("histogram", call)), "z:4 th_bin:5");
}

TEST(Operators, histogram_says_what_is_wrong) {
  EXPECT_THAT(problem_of("histogram", call_of({yx})), HasSubstr("needs either edges=[...] or bins=N"));
  EXPECT_THAT(problem_of("histogram", call_of({yx}, {}, {{"edges", std::vector<double>{1, 0}}})),
              HasSubstr("do not decrease"));
  EXPECT_THAT(problem_of("histogram", call_of({yx}, {}, {{"bins", 3.0}, {"low", 1.0}})),
              HasSubstr("\"high\" is missing"));
  EXPECT_THAT(problem_of("histogram", call_of({yx}, {}, {{"bins", 2.5}, {"low", 1.0}, {"high", 2.0}})),
              HasSubstr("must be a whole number, not 2.5"));
  EXPECT_THAT(
      problem_of("histogram", call_of({yx}, {"x"}, {{"edges", std::vector<double>{0, 1}}, {"dim", "y"}})),
      HasSubstr("dimension \"y\" twice"));
}

TEST(Operators, vertical_integral_weighs) {
  Random random(7);
  const Array a = random_array({zyx, std::nullopt}, Kind::smooth, random);
  const std::vector<double> thickness = {10, 20, 30, 45};
  const std::vector<double> coordinate = {0, 10, 40, 50};
  std::vector<double> weighted, trapezoidal;
  for (std::int64_t y = 0; y < 5; ++y)
    for (std::int64_t x = 0; x < 6; ++x) {
      double sum = 0.0, area = 0.0;
      for (std::int64_t z = 0; z < 4; ++z) sum += at(a, z, y, x) * thickness[base::index(z)];
      for (std::size_t z = 1; z < 4; ++z)
        area += (coordinate[z] - coordinate[z - 1]) * 0.5 *
                (at(a, static_cast<std::int64_t>(z), y, x) + at(a, static_cast<std::int64_t>(z) - 1, y, x));
      weighted.push_back(sum);
      trapezoidal.push_back(area);
    }
  expect_values(result_of("vertical_integral", call_of({zyx}, {"z"}, {{"thickness", thickness}}), {a}),
                weighted, 1e-12);
  expect_values(result_of("vertical_integral", call_of({zyx}, {"z"}, {{"z.coordinates", coordinate}}), {a}),
                trapezoidal, 1e-12);
  const Dims z = {{"z", 4, false}};
  expect_values(result_of("vertical_integral", call_of({zyx, z}, {"z"}), {a, array_of(z, thickness)}),
                weighted, 1e-12);
  std::vector<double> broadcast;
  for (const double dz : thickness) broadcast.insert(broadcast.end(), 30, dz);
  expect_values(result_of("vertical_integral", call_of({zyx, zyx}, {"z"}), {a, array_of(zyx, broadcast)}),
                weighted, 1e-12);
  expect_values(result_of("vertical_integral", call_of({zyx, z}, {"z"}), {a, array_of(zyx, broadcast)}),
                weighted, 1e-12);
}

TEST(Operators, vertical_integral_of_blocks_with_weights_that_are_whole) {
  const Dims z = {{"z", 4, true}};
  const Array a = array_of(z, {1, 2, 3, 4}), weights = array_of(z, {1, 10, 100, 1000});
  const auto partial =
      dynamic_cast<const Reduction*>(find_operator("vertical_integral"))->start(call_of({z, z}, {"z"}));
  for (const model::Runs& runs : {model::Runs{{3, 1}, {1, 1}}, model::Runs{{0, 1}, {2, 1}}}) {
    const Array block = part_of(a, model::Region({runs}));
    partial->add(std::vector{block.view(), weights.view()});
  }
  EXPECT_THAT(partial->finish().values, ElementsAre(4321));
}

TEST(Operators, vertical_integral_of_missing_levels_and_of_one) {
  const Dims z = {{"z", 3, true}};
  const std::vector<double> dz = {1, 2, 3};
  const Array a = array_of(z, {1, nan, 5});
  expect_values(result_of("vertical_integral", call_of({z}, {"z"}, {{"thickness", dz}}), {a}), {nan});
  expect_values(
      result_of("vertical_integral", call_of({z}, {"z"}, {{"thickness", dz}, {"skip_missing", 1.0}}), {a}),
      {16});
  const Dims one = {{"z", 1, true}};
  expect_values(
      result_of("vertical_integral", call_of({one}, {"z"}, {{"thickness", 4.0}}), {array_of(one, {3})}),
      {12});
  expect_values(
      result_of("vertical_integral", call_of({one}, {"z"}, {{"z.coordinates", 7.0}}), {array_of(one, {3})}),
      {0});
}

TEST(Operators, vertical_integral_says_what_is_wrong) {
  EXPECT_THAT(find_operator("vertical_integral")->coordinates_wanted(call_of({zyx}, {"z"})),
              ElementsAre("z"));
  EXPECT_THAT(
      problem_of("vertical_integral", call_of({zyx}, {"z"}, {{"thickness", std::vector<double>{1, 2}}})),
      HasSubstr("must have 4 numbers, one for each cell of \"z\", not 2"));
  EXPECT_THAT(problem_of("vertical_integral", call_of({zyx}, {"z", "y"}, {{"thickness", 1.0}})),
              HasSubstr("takes exactly one dimension, not 2"));
  EXPECT_THAT(problem_of("vertical_integral", call_of({zyx, {{"z", 3, false}}}, {"z"})),
              HasSubstr("a different length"));
  EXPECT_EQ(shape_of("vertical_integral", call_of({zyx, {{"z", 4, false}}}, {"z"})).units.has_value(), true);
}

}  // namespace
}  // namespace tailrace::analytics
