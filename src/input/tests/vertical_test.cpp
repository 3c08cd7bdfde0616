#include "input/vertical.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<LevelWeight> weights(const std::vector<double>& from, const std::vector<double>& to,
                                 const VerticalOptions& options = {}) {
  std::vector<LevelWeight> result(to.size());
  find_level_weights(from, to, options, result);
  return result;
}

std::vector<double> interpolate(const std::vector<double>& from, const std::vector<double>& column,
                                const std::vector<double>& to, const VerticalOptions& options = {}) {
  std::vector<double> result(to.size());
  apply_level_weights(weights(from, to, options), column.data(), 1, result.data(), 1);
  return result;
}

std::string refusal(const std::vector<double>& from, const std::vector<double>& to,
                    const VerticalOptions& options) {
  try {
    weights(from, to, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The line through the two points next to the level, found without an order of levels.
double on_the_line(const std::vector<double>& from, const std::vector<double>& column, double level) {
  std::vector<std::size_t> order(from.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, {}, [&](std::size_t k) { return from[k]; });
  std::size_t k = 1;
  while (k + 1 < order.size() && from[order[k]] < level) ++k;
  const std::size_t a = order[k - 1], b = order[k];
  return column[a] + (level - from[a]) / (from[b] - from[a]) * (column[b] - column[a]);
}

TEST(Vertical, agrees_with_the_line_through_two_points_in_both_orders) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(1.0, 1000.0);
  for (int run = 0; run < 50; ++run) {
    std::vector<double> from(2 + static_cast<std::size_t>(run % 9)), column(from.size()), to(7);
    for (auto* values : {&from, &column, &to}) std::ranges::generate(*values, [&] { return number(random); });
    run % 2 ? std::ranges::sort(from) : std::ranges::sort(from, std::greater<>());
    to.push_back(from.front());
    const auto linear = interpolate(from, column, to, {VerticalRule::linear, Beyond::linear});
    const auto log_of = [](std::vector<double> values) {
      std::ranges::transform(values, values.begin(), [](double value) { return std::log(value); });
      return values;
    };
    const auto logarithmic = interpolate(from, column, to, {VerticalRule::logarithmic, Beyond::linear});
    for (std::size_t k = 0; k < to.size(); ++k) {
      const double scale = 1e-12 * (1 + std::abs(linear[k]) + std::abs(logarithmic[k])) * 1000;
      EXPECT_NEAR(linear[k], on_the_line(from, column, to[k]), scale);
      EXPECT_NEAR(logarithmic[k], on_the_line(log_of(from), column, std::log(to[k])), scale);
    }
    EXPECT_EQ(linear.back(), column.front()) << "a level of the file is a copy";
  }
}

TEST(Vertical, beyond_the_levels_the_rule_decides) {
  const std::vector<double> up{1, 2, 4}, down{4, 2, 1}, values{10, 20, 40}, turned{40, 20, 10};
  EXPECT_THAT(interpolate(up, values, {0, 9}), ElementsAre(10, 40));
  EXPECT_THAT(interpolate(down, turned, {0, 9}), ElementsAre(10, 40));
  EXPECT_THAT(interpolate(up, values, {0, 9}, {VerticalRule::linear, Beyond::linear}), ElementsAre(0, 90));
  EXPECT_THAT(interpolate(down, turned, {0, 9}, {VerticalRule::linear, Beyond::linear}), ElementsAre(0, 90));
  for (const double missing : interpolate(up, values, {0, 9}, {VerticalRule::linear, Beyond::missing}))
    EXPECT_TRUE(std::isnan(missing));
  EXPECT_THAT(interpolate(up, values, {1, 4}, {VerticalRule::linear, Beyond::missing}), ElementsAre(10, 40));
}

TEST(Vertical, one_level_is_the_value_everywhere) {
  EXPECT_THAT(interpolate({5}, {7}, {1, 5, 9}), ElementsAre(7, 7, 7));
  EXPECT_THAT(weights({5}, {1, 5}, {VerticalRule::linear, Beyond::missing}),
              ElementsAre(LevelWeight{}, LevelWeight{0, 0.0}));
}

TEST(Vertical, missing_values_stay_missing_where_they_count) {
  const double none = std::nan("");
  const auto result = interpolate({1, 2, 3}, {none, 5, 6}, {1.5, 2, 2.5, none});
  EXPECT_TRUE(std::isnan(result[0]));
  EXPECT_EQ(result[1], 5);
  EXPECT_EQ(result[2], 5.5);
  EXPECT_TRUE(std::isnan(result[3]));
}

TEST(Vertical, refuses_levels_that_are_no_axis) {
  EXPECT_EQ(refusal({1, 3, 2}, {1}, {}),
            "level 2 (counted from 0) is 2 and the one before 3; expected levels that ascend");
  EXPECT_THAT(refusal({3, 3}, {1}, {}), HasSubstr("level 1 (counted from 0) is 3"));
  EXPECT_THAT(refusal({1, std::nan("")}, {1}, {}), HasSubstr("level 1 (counted from 0) is nan"));
  EXPECT_THAT(refusal({}, {1}, {}), HasSubstr("no levels"));
  EXPECT_THAT(refusal({0, 1}, {1}, {VerticalRule::logarithmic, Beyond::hold}),
              HasSubstr("needs levels above 0"));
  EXPECT_THAT(refusal({1, 2}, {-1}, {VerticalRule::logarithmic, Beyond::hold}),
              HasSubstr("a level of the model is -1"));
}

TEST(Vertical, hybrid_levels_follow_their_formula) {
  std::vector<double> levels(2);
  const std::vector<double> a{0.1, 0.0}, ap{10000, 0}, b{0.2, 1.0}, p0{100000}, sigma{0.5, 1.0}, ptop{1000};
  HybridLevels("atmosphere_hybrid_sigma_pressure_coordinate", "ap: ap b: b ps: ps")
      .levels({{"ap", ap}, {"b", b}}, 98000, levels);
  EXPECT_THAT(levels, ElementsAre(10000 + 0.2 * 98000, 98000));
  HybridLevels("atmosphere_hybrid_sigma_pressure_coordinate", "a: hyam b: hybm p0: P0 ps: PS")
      .levels({{"a", a}, {"b", b}, {"p0", p0}}, 98000, levels);
  EXPECT_THAT(levels, ElementsAre(0.1 * 100000 + 0.2 * 98000, 98000));
  HybridLevels("atmosphere_sigma_coordinate", "sigma: lev ps: PS ptop: ptop")
      .levels({{"sigma", sigma}, {"ptop", ptop}}, 98000, levels);
  EXPECT_THAT(levels, ElementsAre(1000 + 0.5 * 97000, 98000));
}

TEST(Vertical, refuses_coordinates_without_a_formula) {
  const auto refused = [](const char* name, const char* terms) -> std::string {
    try {
      HybridLevels(name, terms);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused("ocean_s_coordinate", "s: s"),
              HasSubstr("the standard_name of the vertical coordinate is ocean_s_coordinate"));
  EXPECT_THAT(refused("atmosphere_sigma_coordinate", "sigma: lev ps: PS"), HasSubstr("lacks the term ptop"));
}

}  // namespace
}  // namespace tailrace::input
