// Which averages are warned of, as they need weights.
#include <gmock/gmock.h>

#include "analytics/tests/compile_scope.hpp"

namespace tailrace::analytics::testing {
namespace {

TEST(CompileWeights, AreMissedWhereAreasDiffer) {
  Scope scope = small_scope();
  scope.latitudes = {{"y", "lat"}};
  const auto warned = [&](const std::string& text) {
    const auto& lines = compiled(text, "", scope).compiled.warnings;
    return lines.size() == 1 ? lines.front() : "none";
  };
  EXPECT_EQ(warned("th - mean(th, y, x)"),
            "run.yml:3:15  diagnostics.d.is: mean counts all cells along \"y\" alike, but their areas differ "
            "with the "
            "latitude \"lat\"; give weights=, such as a fixed field of cell areas");
  EXPECT_THAT(warned("std(th)"), ::testing::HasSubstr("std counts all cells along \"y\" alike"));
  EXPECT_EQ(warned("mean(th, y, x, weights=area)"), "none");
  EXPECT_EQ(warned("mean(th, z, x)"), "none");
  EXPECT_EQ(warned("sum(th, y) + max(th, y)"), "none");
}

}  // namespace
}  // namespace tailrace::analytics::testing
