#include "base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tailrace::base {
namespace {

const std::vector<std::string> reductions{"snapshot", "mean", "min", "max", "sum", "std"};

TEST(NearestName, forgives_a_slip_of_the_keys) {
  EXPECT_EQ(nearest_name("snapshto", reductions), "snapshot");  // swapped
  EXPECT_EQ(nearest_name("snpshot", reductions), "snapshot");   // missing
  EXPECT_EQ(nearest_name("meaan", reductions), "mean");         // doubled
  EXPECT_EQ(nearest_name("Mean", reductions), "mean");          // case
}

TEST(NearestName, does_not_guess_when_nothing_is_near) {
  EXPECT_EQ(nearest_name("percentile", reductions), std::nullopt);
  EXPECT_EQ(nearest_name("w", {}), std::nullopt);
  EXPECT_EQ(nearest_name("u", std::vector<std::string>{"w"}), std::nullopt);
}

// The whole table, as the definition has it.
std::size_t distance_by_definition(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

TEST(NearestName, is_the_first_of_the_least_distance) {
  std::mt19937 random(7);
  const auto any_name = [&] {
    std::string name;
    const auto length = 1 + random() % 9;
    for (std::size_t i = 0; i < length; ++i) name += static_cast<char>('a' + random() % 3);
    return name;
  };
  int found = 0;
  for (int round = 0; round < 500; ++round) {
    const std::string name = any_name();
    std::vector<std::string> known;
    for (int i = 0; i < 12; ++i) known.push_back(any_name());
    std::optional<std::string> expected;
    std::size_t best = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string& one : known) {
      const std::size_t distance = distance_by_definition(name, one);
      if (distance >= best || distance >= std::max(name.size(), one.size())) continue;
      best = distance;
      expected = one;
    }
    EXPECT_EQ(nearest_name(name, known), expected) << name;
    found += expected.has_value();
  }
  EXPECT_GT(found, 100);
  EXPECT_LT(found, 500);
}

TEST(NameHint, offers_the_nearest_name_and_the_list) {
  EXPECT_EQ(name_hint("maen", reductions),
            " Did you mean \"mean\"? (known: max, mean, min, snapshot, std, sum)");
  EXPECT_EQ(name_hint("percentile", reductions), " (known: max, mean, min, snapshot, std, sum)");
  EXPECT_EQ(name_hint("w", {}), " (known: none)");
}

TEST(NameHint, cuts_long_lists) {
  std::vector<std::string> many;
  for (char letter = 'a'; letter <= 'z'; ++letter) many.emplace_back(8, letter);
  const std::string hint = name_hint("field", many);
  EXPECT_NE(hint.find("llllllll, ...)"), std::string::npos) << hint;
  EXPECT_EQ(hint.find("mmmmmmmm"), std::string::npos) << hint;
}

}  // namespace
}  // namespace tailrace::base
