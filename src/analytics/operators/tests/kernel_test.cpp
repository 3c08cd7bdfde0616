// Kernels along dimensions: slice, select, coarsen, cumsum, diff, interpolate, quantile.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analytics/testing/use.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using List = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const Dims zyx = {{"z", 4, false}, {"y", 5, true}, {"x", 6, true}};
const Dims x6 = {{"x", 6, true}};

// An array with the value 100 z + 10 y + x in each cell.
Array numbered() {
  List values;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 6; ++x) values.push_back(100.0 * z + 10.0 * y + x);
  return array_of(zyx, values);
}

TEST(Slice, takes_a_part) {
  const Call call = call_of({zyx}, {}, {{"z", -1.0}, {"x", List{1, 6, 2}}, {"y", List{1, -2}}});
  EXPECT_EQ(dims_of(shape_of("slice", call)), "y_2:2 x_3:3");
  EXPECT_THAT(result_of("slice", call, {numbered()}), ElementsAre(311, 313, 315, 321, 323, 325));
  EXPECT_EQ(dims_of(shape_of("slice", call_of({zyx}, {}, {{"y", List{0, 5}}}))), "z:4 y:5 x:6");
}

TEST(Slice, works_on_blocks_of_the_other_dimensions) {
  const Call call = call_of({zyx}, {}, {{"z", 2.0}});
  const auto* slice = dynamic_cast<const Kernel*>(find_operator("slice"));
  EXPECT_TRUE(slice->needs_whole(call).empty());
  EXPECT_THAT(slice->needs_whole(call_of({zyx}, {}, {{"z", 2.0}, {"x", 0.0}})), ElementsAre("x"));
  const model::Region block({{{0, 4}}, {{3, 2}}, {{5, 1}, {0, 2}}});
  const Array part = part_of(numbered(), block);
  const Array result = slice->start(call)->compute(std::vector{part.view()});
  EXPECT_THAT(result.values, ElementsAre(235, 230, 231, 245, 240, 241));
  EXPECT_EQ(result.region, model::Region({{{3, 2}}, {{5, 1}, {0, 2}}}));
}

TEST(Slice, says_what_is_wrong) {
  EXPECT_THAT(problem_of("slice", call_of({zyx}, {}, {{"z", 4.0}})),
              HasSubstr("z: index 4 is out of range: dimension \"z\" has 4 cells (0 to 3)"));
  EXPECT_THAT(problem_of("slice", call_of({zyx}, {}, {{"z", -5.0}})), HasSubstr("index -5 is out of range"));
  EXPECT_THAT(problem_of("slice", call_of({zyx}, {}, {{"z", 1.5}})), HasSubstr("whole number"));
  EXPECT_THAT(problem_of("slice", call_of({zyx}, {}, {{"z", List{2, 2}}})),
              HasSubstr("[2, 2] of \"z\" is empty"));
  EXPECT_THAT(problem_of("slice", call_of({zyx}, {}, {{"z", List{0, 2, 0}}})),
              HasSubstr("step must be 1 or more"));
  EXPECT_THAT(problem_of("slice", call_of({zyx}, {}, {{"w", 1.0}})), HasSubstr("no dimension \"w\""));
  EXPECT_THAT(problem_of("slice", call_of({zyx})), HasSubstr("at least one DIM=index"));
  EXPECT_THAT(problem_of("slice", call_of({zyx}, {"z"})), HasSubstr("DIM=..."));
}

TEST(Select, takes_the_nearest) {
  const List coordinate = {0, 10, 20, 40, 80, 160};
  const Array a = array_of(x6, {1, 2, 3, 4, 5, 6});
  const auto at = [&](double x) {
    return result_of("select", call_of({x6}, {}, {{"x", x}, {"x.coordinates", coordinate}}), {a})[0];
  };
  EXPECT_EQ(at(24), 3);
  EXPECT_EQ(at(30), 4) << "of two equally near cells the higher one";
  EXPECT_EQ(at(-1e9), 1);
  EXPECT_EQ(at(161), 6);
  const Call several = call_of(
      {zyx}, {},
      {{"x", List{11, 100}}, {"x.coordinates", coordinate}, {"z", 1.1}, {"z.coordinates", List{3, 2, 1, 0}}});
  EXPECT_EQ(dims_of(shape_of("select", several)), "y:5 x_2:2");
  EXPECT_THAT(result_of("select", several, {numbered()}),
              ElementsAre(201, 204, 211, 214, 221, 224, 231, 234, 241, 244));
}

TEST(Select, interpolates) {
  const List falling = {100, 80, 40, 20, 10, 0};
  const Array a = array_of(x6, {1, 2, 4, nan, 8, 16});
  const Call call = call_of({x6}, {},
                            {{"method", "linear"},
                             {"x", List{90, 100, 60, 40, 30, 10, 5, 0, -1, 101}},
                             {"x.coordinates", falling}});
  expect_values(result_of("select", call, {a}), {1.5, 1, 3, 4, nan, 8, 12, 16, nan, nan});
}

TEST(Select, says_what_is_wrong) {
  const Call call = call_of({zyx}, {}, {{"z", 10.0}, {"method", "linear"}});
  EXPECT_THAT(find_operator("select")->coordinates_wanted(call), ElementsAre("z"));
  EXPECT_THAT(problem_of("select", call), HasSubstr("z: dimension \"z\" has no coordinate"));
  EXPECT_THAT(
      problem_of("select",
                 call_of({zyx}, {}, {{"z", 1.0}, {"method", "linear"}, {"z.coordinates", List{1, 2, 2, 3}}})),
      HasSubstr("is not monotonic"));
  EXPECT_THAT(problem_of("select", call_of({zyx}, {}, {{"z", 1.0}, {"z.coordinates", List{1, 2}}})),
              HasSubstr("has 2 values, the dimension 4"));
  EXPECT_THAT(problem_of("select", call_of({zyx}, {}, {{"z", 1.0}, {"method", "cubic"}})),
              HasSubstr("method=\"cubic\" is not one of: nearest, linear"));
}

TEST(Coarsen, makes_boxes) {
  const auto coarse = [](const char* method) {
    return result_of("coarsen", call_of({zyx}, {}, {{"y", 2.0}, {"x", 4.0}, {"method", method}}),
                     {numbered()});
  };
  List mean, sample, sum, lowest, highest;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 5; y += 2)
      for (int x = 0; x < 6; x += 4) {
        double total = 0.0;
        int count = 0;
        for (int j = y; j < std::min(y + 2, 5); ++j)
          for (int i = x; i < std::min(x + 4, 6); ++i, ++count) total += 100.0 * z + 10.0 * j + i;
        sum.push_back(total);
        mean.push_back(total / count);
        sample.push_back(100.0 * z + 10.0 * y + x);
        lowest.push_back(sample.back());
        highest.push_back(100.0 * z + 10.0 * std::min(y + 1, 4) + std::min(x + 3, 5));
      }
  expect_values(coarse("mean"), mean);
  expect_values(coarse("sample"), sample);
  expect_values(coarse("sum"), sum);
  expect_values(coarse("min"), lowest);
  expect_values(coarse("max"), highest);
  EXPECT_EQ(dims_of(shape_of("coarsen", call_of({zyx}, {}, {{"y", 2.0}, {"x", 4.0}, {"z", 1.0}}))),
            "z:4 y_3:3 x_2:2");
}

TEST(Coarsen, of_missing_values) {
  const Array a = array_of(x6, {1, nan, nan, nan, 5, 6});
  const auto coarse = [&](const char* method, double skip) {
    return result_of("coarsen", call_of({x6}, {}, {{"x", 2.0}, {"method", method}, {"skip_missing", skip}}),
                     {a});
  };
  expect_values(coarse("mean", 0), {nan, nan, 5.5});
  expect_values(coarse("mean", 1), {1, nan, 5.5});
  expect_values(coarse("sum", 1), {1, 0, 11});
  expect_values(coarse("min", 0), {nan, nan, 5});
  expect_values(coarse("max", 1), {1, nan, 6});
  expect_values(coarse("sample", 0), {1, nan, 5});
  EXPECT_THAT(problem_of("coarsen", call_of({x6}, {}, {{"x", 0.0}})), HasSubstr("must be 1 or more"));
}

TEST(Cumsum, adds_up) {
  const Array a = array_of({{"z", 3, true}, {"x", 2, true}}, {1, 2, nan, 4, 5, 6});
  const Dims dims = {{"z", 3, true}, {"x", 2, true}};
  expect_values(result_of("cumsum", call_of({dims}, {"z"}), {a}), {1, 2, nan, 6, nan, 12});
  expect_values(result_of("cumsum", call_of({dims}, {"z"}, {{"skip_missing", 1.0}}), {a}),
                {1, 2, 1, 6, 6, 12});
  expect_values(result_of("cumsum", call_of({dims}, {"x"}), {a}), {1, 3, nan, nan, 5, 11});
  EXPECT_FALSE(shape_of("cumsum", call_of({dims}, {"z"})).dims[0].split);
  EXPECT_TRUE(shape_of("cumsum", call_of({dims}, {"z"})).dims[1].split);
}

TEST(Diff, subtracts_neighbours) {
  const Dims dims = {{"z", 3, true}, {"x", 2, true}};
  const Array a = array_of(dims, {1, 2, 4, 8, nan, 16});
  expect_values(result_of("diff", call_of({dims}, {"z"}), {a}), {3, 6, nan, 8});
  expect_values(result_of("diff", call_of({dims}, {"x"}), {a}), {1, 4, nan});
  EXPECT_EQ(dims_of(shape_of("diff", call_of({dims}, {"x"}))), "z:3 x_1:1");
  EXPECT_THAT(problem_of("diff", call_of({{{"x", 1, true}}}, {"x"})),
              HasSubstr("at least 2 cells along \"x\""));
}

TEST(Interpolate, finds_levels_in_columns) {
  const Dims zx = {{"z", 4, false}, {"x", 2, true}};
  const Array a = array_of(zx, {0, 10, 1, 20, 4, 30, 9, 40});
  const Array height =
      array_of(zx, {0, 8, 10, 6, 20, 4, 40, 2});  // increases in one column, decreases in the other
  const List levels = {-1, 0, 5, 7, 20, 30, 41};
  const Call call = call_of({zx, zx}, {"z"}, {{"levels", levels}});
  EXPECT_EQ(dims_of(shape_of("interpolate", call)), "z_level:7 x:2");
  expect_values(result_of("interpolate", call, {a, height}),
                {nan, nan, 0, nan, 0.5, 25, 0.7, 15, 4, nan, 6.5, nan, nan, nan}, 1e-14);
  const Call ends = call_of({zx, zx}, {"z"}, {{"levels", levels}, {"extrapolate", "nearest"}});
  expect_values(result_of("interpolate", ends, {a, height}),
                {0, 40, 0, 40, 0.5, 25, 0.7, 15, 4, 10, 6.5, 10, 9, 10}, 1e-14);
}

TEST(Interpolate, works_along_one_axis_and_in_logarithms) {
  const Dims zx = {{"z", 3, false}, {"x", 2, true}};
  const Dims z = {{"z", 3, false}};
  const Array a = array_of(zx, {1, 10, 2, 20, 3, 30});
  const Array pressure = array_of(z, {1000, 100, 10});
  const double middle = std::sqrt(1000.0 * 100.0);
  const Call call = call_of({zx, z}, {"z"}, {{"levels", List{middle, 10}}, {"method", "log"}, {"dim", "p"}});
  EXPECT_EQ(dims_of(shape_of("interpolate", call)), "p:2 x:2");
  expect_values(result_of("interpolate", call, {a, pressure}), {1.5, 15, 3, 30}, 1e-13);
  const Call linear = call_of({zx, z}, {"z"}, {{"levels", 550.0}});
  expect_values(result_of("interpolate", linear, {a, pressure}), {1.5, 15}, 1e-14);
}

TEST(Interpolate, of_missing_cells_and_turning_columns) {
  const Dims z = {{"z", 5, false}};
  const Array a = array_of(z, {1, 2, 3, nan, 5});
  const Array x = array_of(z, {nan, 20, 30, 40, 50});
  const Call call = call_of({z, z}, {"z"}, {{"levels", List{15, 20, 25, 35, 45, 50}}});
  expect_values(result_of("interpolate", call, {a, x}), {nan, 2, 2.5, nan, nan, 5});
  const Call turning = call_of({z, z}, {"z"}, {{"levels", 5.0}});
  expect_values(
      result_of("interpolate", turning, {array_of(z, {0, 1, 2, 3, 4}), array_of(z, {0, 10, 0, 10, 0})}),
      {0.5});
}

TEST(Interpolate, says_what_is_wrong) {
  EXPECT_THAT(problem_of("interpolate", call_of({zyx, x6}, {"z"}, {{"levels", 1.0}})),
              HasSubstr("must have the dimensions"));
  EXPECT_THAT(problem_of("interpolate", call_of({zyx, zyx}, {"z"})), HasSubstr("\"levels\" is missing"));
  EXPECT_THAT(problem_of("interpolate", call_of({zyx, zyx}, {"z"}, {{"levels", -1.0}, {"method", "log"}})),
              HasSubstr("above 0"));
  EXPECT_THAT(problem_of("interpolate", call_of({zyx, zyx}, {"z"}, {{"levels", 1.0}, {"dim", "x"}})),
              HasSubstr("\"x\" already"));
}

// The definition without numpy's rounding: the value at position (n - 1) q in the sorted list.
double naive_quantile(List values, double q) {
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  const double part = place - static_cast<double>(low);
  return values[low] * (1.0 - part) + values[high] * part;
}

TEST(Quantile, lies_between_the_sorted) {
  Random random(8);
  const Array a = random_array({zyx, std::nullopt}, Kind::smooth, random);
  const List fractions = {0.0, 0.1, 0.5, 0.77, 1.0};
  List expected;
  for (std::size_t z = 0; z < 4; ++z)
    for (const double q : fractions)
      expected.push_back(naive_quantile(
          {a.values.begin() + std::ptrdiff_t(z) * 30, a.values.begin() + std::ptrdiff_t(z + 1) * 30}, q));
  const Call call = call_of({zyx}, {"y", "x"}, {{"q", fractions}});
  EXPECT_EQ(dims_of(shape_of("quantile", call)), "z:4 quantile:5");
  expect_values(result_of("quantile", call, {a}), expected, 1e-14);
  expect_values(result_of("quantile", call_of({zyx}), {a}), {naive_quantile(a.values, 0.5)}, 1e-14);
  EXPECT_THAT(dynamic_cast<const Kernel*>(find_operator("quantile"))->needs_whole(call),
              ElementsAre("y", "x"));
}

TEST(Quantile, of_missing_values_and_of_one) {
  const Array a = array_of(x6, {3, nan, 1, nan, 2, 10});
  expect_values(result_of("quantile", call_of({x6}), {a}), {nan});
  expect_values(result_of("quantile", call_of({x6}, {}, {{"skip_missing", 1.0}}), {a}), {2.5});
  const Dims one = {{"x", 1, true}};
  expect_values(result_of("quantile", call_of({one}, {"x"}, {{"q", 0.3}}), {array_of(one, {7})}), {7});
  expect_values(result_of("quantile", call_of({one}, {"x"}, {{"skip_missing", 1.0}}), {array_of(one, {nan})}),
                {nan});
  EXPECT_THAT(problem_of("quantile", call_of({x6}, {}, {{"q", 1.1}})), HasSubstr("from 0 to 1"));
}

}  // namespace
}  // namespace tailrace::analytics
