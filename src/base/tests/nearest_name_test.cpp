#include "base/nearest_name.hpp"

#include <gtest/gtest.h>

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
