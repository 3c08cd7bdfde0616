// sum, count, min, max against a loop over all cells.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "analytics/testing/operator_conformance.hpp"
#include "analytics/testing/use.hpp"
#include "base/index.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

const Dims zyx = {{"z", 4, false}, {"y", 5, true}, {"x", 6, true}};

// All values of each kept cell, collected by a loop over indices.
std::vector<std::vector<double>> gathered(const Array& a, const std::vector<bool>& consumed) {
  const auto extents = a.region.counts();
  std::int64_t cells = 1;
  for (std::size_t d = 0; d < 3; ++d) cells *= consumed[d] ? 1 : extents[d];
  std::vector<std::vector<double>> all(static_cast<std::size_t>(cells));
  std::size_t i = 0;
  for (std::int64_t z = 0; z < extents[0]; ++z)
    for (std::int64_t y = 0; y < extents[1]; ++y)
      for (std::int64_t x = 0; x < extents[2]; ++x) {
        std::int64_t cell = 0;
        if (!consumed[0]) cell = z;
        if (!consumed[1]) cell = cell * extents[1] + y;
        if (!consumed[2]) cell = cell * extents[2] + x;
        all[base::index(cell)].push_back(a.values[i++]);
      }
  return all;
}

using Naive = std::function<double(const std::vector<double>&)>;

void compare(const std::string& name, const Parameters& parameters, Kind kind, const Naive& naive) {
  Random random(99);
  const Array a = random_array({zyx, std::nullopt}, kind, random);
  const std::vector<std::pair<std::vector<std::string>, std::vector<bool>>> cases = {
      {{}, {true, true, true}},
      {{"x", "y"}, {false, true, true}},
      {{"z"}, {true, false, false}},
      {{"x", "z"}, {true, false, true}},
      {{"y"}, {false, true, false}},
      {{"x"}, {false, false, true}},
      {{"z", "y", "x"}, {true, true, true}}};
  for (const auto& [dims, consumed] : cases) {
    std::vector<double> expected;
    for (const auto& values : gathered(a, consumed)) expected.push_back(naive(values));
    expect_values(result_of(name, call_of({zyx}, dims, parameters), {a}), expected, 1e-14);
  }
}

double naive_sum(const std::vector<double>& values) {
  long double total = 0.0L;
  for (const double value : values) total += value;
  return static_cast<double>(total);
}
std::vector<double> present(const std::vector<double>& values) {
  std::vector<double> left;
  for (const double value : values)
    if (!std::isnan(value)) left.push_back(value);
  return left;
}
double naive_max(const std::vector<double>& values) {
  double best = values.empty() ? nan : values[0];
  for (const double value : values) {
    if (std::isnan(value)) return nan;
    best = std::max(best, value);
  }
  return best;
}

TEST(Operators, sum_adds) {
  compare("sum", {}, Kind::smooth, naive_sum);
  compare("sum", {}, Kind::missing, naive_sum);
  compare("sum", {{"skip_missing", 1.0}}, Kind::missing,
          [](const auto& values) { return naive_sum(present(values)); });
}

TEST(Operators, sum_loses_nothing) {
  const Dims x = {{"x", 4, true}};
  const Array a = array_of(x, {1.0, 1e20, 1.0, -1e20});
  expect_values(result_of("sum", call_of({x}), {a}), {2.0});
  expect_values(result_of("sum", call_of({x}), {array_of(x, {infinity, 1.0, 2.0, 3.0})}), {infinity});
  expect_values(result_of("sum", call_of({x}), {array_of(x, {infinity, 1.0, -infinity, 3.0})}), {nan});
}

TEST(Operators, count_counts_what_is_there) {
  compare("count", {}, Kind::missing, [](const auto& values) { return double(present(values).size()); });
  compare("count", {}, Kind::special, [](const auto& values) { return double(values.size()); });
}

TEST(Operators, min_and_max_find_extremes) {
  for (const Kind kind : {Kind::smooth, Kind::wide, Kind::missing}) {
    compare("max", {}, kind, naive_max);
    compare("max", {{"skip_missing", 1.0}}, kind, [](const auto& v) { return naive_max(present(v)); });
    compare("min", {{"skip_missing", 1.0}}, kind, [](std::vector<double> v) {
      for (double& value : v) value = -value;
      return -naive_max(present(v));
    });
  }
}

TEST(Operators, extremes_of_infinities_and_zeros) {
  const Dims x = {{"x", 20, true}};
  const Array lows = array_of(x, std::vector<double>(20, infinity));
  expect_values(result_of("min", call_of({x}), {lows}), {infinity});
  std::vector<double> zeros(20, 0.0);
  zeros[3] = -0.0;
  for (const char* name : {"min", "max"})
    EXPECT_FALSE(std::signbit(result_of(name, call_of({x}), {array_of(x, zeros)})[0])) << name;
  const Array missing = array_of(x, std::vector<double>(20, nan));
  expect_values(result_of("max", call_of({x}, {}, {{"skip_missing", 1.0}}), {missing}), {nan});
}

TEST(Operators, reductions_of_scalars_are_the_scalars) {
  EXPECT_EQ(result_of("sum", call_of({Dims{}}), {array_of({}, {2.5})}), std::vector{2.5});
  EXPECT_EQ(result_of("max", call_of({Dims{}}), {array_of({}, {2.5})}), std::vector{2.5});
  EXPECT_EQ(result_of("count", call_of({Dims{}}), {array_of({}, {2.5})}), std::vector{1.0});
}

TEST(Operators, reductions_keep_what_is_not_consumed) {
  EXPECT_EQ(dims_of(shape_of("sum", call_of({zyx}, {"y"}))), "z:4 x:6");
  EXPECT_TRUE(shape_of("sum", call_of({zyx}, {"y"})).dims[1].split);
  EXPECT_EQ(shape_of("min", call_of({zyx}, {"y"})).units, "K");
  EXPECT_EQ(shape_of("count", call_of({zyx}, {"y"})).units, "1");
}

TEST(Operators, reductions_say_what_is_wrong) {
  EXPECT_THAT(problem_of("sum", call_of({zyx}, {"zz"})),
              HasSubstr("zz: the argument has no dimension \"zz\". Did"));
  EXPECT_THAT(problem_of("sum", call_of({zyx}, {"y", "y"})), HasSubstr("\"y\" is named twice"));
  EXPECT_THAT(problem_of("sum", call_of({zyx, zyx})), HasSubstr("takes 1 argument, not 2"));
  EXPECT_THAT(problem_of("sum", call_of({zyx}, {}, {{"skip_mising", 1.0}})),
              HasSubstr("Did you mean \"skip_missing\""));
  EXPECT_THAT(problem_of("sum", call_of({zyx}, {}, {{"skip_missing", 2.0}})), HasSubstr("must be 0 or 1"));
  EXPECT_THAT(problem_of("sum", call_of({zyx}, {}, {{"skip_missing", "yes"}})),
              HasSubstr("must be a number"));
}

}  // namespace
}  // namespace tailrace::analytics
