// Warnings for averages that need weights.
#include <gmock/gmock.h>

#include "analytics/tests/compile_scope.hpp"

namespace tailrace::analytics::testing {
namespace {

TEST(CompileWeights, AreRequestedWhereAreasDiffer) {
  Scope scope = small_scope();
  scope.latitudes = {{"y", "lat"}};
  const auto warned = [&](const std::string& text) {
    const auto& lines = compiled(text, "", scope).compiled.warnings;
    return lines.size() == 1 ? lines.front() : "none";
  };
  EXPECT_EQ(warned("th - mean(th, y, x)"),
            "run.yml:3:15  diagnostics.d.is: mean gives all cells along \"y\" equal weight, but their areas "
            "differ with the latitude \"lat\"; give weights=, such as a fixed field of cell areas");
  EXPECT_THAT(warned("std(th)"), ::testing::HasSubstr("std gives all cells along \"y\" equal weight"));
  EXPECT_EQ(warned("mean(th, y, x, weights=area)"), "none");
  EXPECT_EQ(warned("mean(th, z, x)"), "none");
  EXPECT_EQ(warned("sum(th, y) + max(th, y)"), "none");
}

TEST(CompileWeights, AreCellAreasIfTheseAreKnown) {
  Scope scope = small_scope();
  scope.latitudes = {{"y", "lat"}};
  scope.areas = {{"y", "area"}};
  const auto nodes = [&](const std::string& text) {
    const auto made = compiled(text, "", scope).compiled;
    EXPECT_EQ(made.warnings.size(), 0u) << text;
    return made.graph.nodes.size();
  };
  EXPECT_EQ(nodes("mean(th, y, x)"), nodes("mean(th, y, x, weights=area)"));
  EXPECT_LT(nodes("mean(th, x)"), nodes("mean(th, y, x)"));
  EXPECT_THAT(compiled("var(th, y, x, ddof=1)", "", scope).compiled.warnings, ::testing::SizeIs(1));
}

}  // namespace
}  // namespace tailrace::analytics::testing
