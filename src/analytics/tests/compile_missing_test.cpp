// Expressions of fields with a fill value.
#include <gmock/gmock.h>

#include "analytics/tests/compile_scope.hpp"

namespace tailrace::analytics::testing {
namespace {

using ::testing::HasSubstr;

Scope ocean() {
  Scope scope = small_scope();
  scope.inputs.push_back({"sst", {{{"y", ny, true}, {"x", nx, true}}, "K"}, true});
  scope.inputs.push_back({"sss", {{{"y", ny, true}, {"x", nx, true}}, "1"}, true});
  return scope;
}

std::string text(const std::string& expression) { return compiled(expression, "", ocean()).text(); }
bool may_miss(const std::string& expression) { return compiled(expression, "", ocean()).at("d").may_miss; }

TEST(CompileMissing, ReductionsExcludeIt) {
  EXPECT_EQ(text("max(sst)"), "max(sst, y, x, skip_missing=1)");
  EXPECT_EQ(text("max(sst, skip_missing=0)"), "max(sst, y, x, skip_missing=0)");
  EXPECT_EQ(text("mean(sst, x)"), "(sum(sst, x, skip_missing=1) / count(sst, x))");
  EXPECT_EQ(text("mean(sst, x, skip_missing=0)"), "(sum(sst, x) / 8)");
  EXPECT_EQ(text("argmax(sst, x)"), text("argmax(sst, x, skip_missing=1)"));
  EXPECT_EQ(text("mean(lat, weights=sss)"), text("mean(lat, weights=sss, skip_missing=1)"));
  EXPECT_EQ(text("diff(sst, x)"), "diff(sst, x)");
  EXPECT_EQ(text("count(sst, x)"), "count(sst, x)");
  EXPECT_TRUE(may_miss("mean(sst, x)"));
  EXPECT_FALSE(may_miss("count(sst, x)"));
  EXPECT_FALSE(may_miss("isnan(sst)"));
  EXPECT_FALSE(may_miss("mean(w, x)"));
  EXPECT_EQ(text("mean(mask(w, w > 0), x)"), "(sum(where((w > 0), w, nan), x) / 8)")
      << "as without fill values";
}

TEST(CompileMissing, AnEmptySumIsMissing) {
  EXPECT_EQ(text("sum(sst, x)"), "where((count(sst, x) == 0), nan, sum(sst, x, skip_missing=1))");
  EXPECT_EQ(text("sum(sst, x, skip_missing=0)"), "sum(sst, x, skip_missing=0)");
  EXPECT_EQ(text("sum(sst, x, weights=area)"),
            "where((count((sst * area), x) == 0), nan, sum((sst * area), x, skip_missing=1))");
  EXPECT_EQ(text("coarsen(sst, x=4)"), "coarsen(sst, skip_missing=1, x=4)");
  EXPECT_THAT(text("coarsen(sst, x=4, method=sum)"),
              HasSubstr("(0 == coarsen(where(isnan(sst), 0, 1), method=\"sum\", x=4)), nan, coarsen(sst, "));
}

TEST(CompileMissing, DependentValuesAreMissing) {
  EXPECT_EQ(text("sst + 1"), "(sst + 1)");
  EXPECT_EQ(text("sst > 280"), "where(isnan(sst), nan, (sst > 280))");
  EXPECT_EQ(text("sss ** 3"), "where(isnan(sss), nan, (sss ** 3))");
  EXPECT_EQ(
      text("sss and sst > 280"),
      "where((isnan(sss) or isnan(where(isnan(sst), nan, (sst > 280)))), nan, (sss and where(isnan(sst), "
      "nan, (sst > 280))))");
  EXPECT_EQ(text("where(isnan(sst), 0, sst)"), "where(isnan(sst), 0, sst)");
  EXPECT_EQ(text("where(sss, lat, 0)"), "where(isnan(sss), nan, where(sss, lat, 0))");
  EXPECT_TRUE(may_miss("where(lat > 0, sst, 0)"));
}

TEST(CompileMissing, DiagnosticsPassItOn) {
  const auto outcome = compile_all({source("d", "max(warm, x)"), source("warm", "sst * 2")}, ocean());
  EXPECT_EQ(outcome.text(), "max((sst * 2), x, skip_missing=1)");
  EXPECT_TRUE(outcome.at("d").may_miss);
}

class Own final : public Kernel {
 public:
  explicit Own(bool takes_missing = false) : takes_missing_(takes_missing) {}
  bool takes_missing() const override { return takes_missing_; }
  OperatorDoc doc() const override { return {}; }
  std::optional<std::size_t> only_arrays() const override { return 2; }
  Shape infer(const Call& call) const override { return call.arguments.at(0); }
  std::vector<std::string> needs_whole(const Call&) const override { return {}; }
  std::unique_ptr<KernelRun> start(const Call&) const override { return nullptr; }

 private:
  bool takes_missing_;
};

TEST(CompileMissing, UserOperatorsTakeItIfTheyDeclareIt) {
  Scope scope = ocean();
  scope.operators["smooth"] = std::make_shared<Own>();
  EXPECT_THAT(compiled("smooth(lat, sst)", "", scope).problems,
              HasSubstr("run.yml:3:22  diagnostics.d.is: this may have missing values (a fill_value), which "
                        "smooth does not "
                        "take; expected `takes_missing: true` under operators.smooth"));
  EXPECT_EQ(compiled("smooth(lat, lat)", "", scope).problems, "");
  scope.operators["smooth"] = std::make_shared<Own>(true);
  const auto outcome = compiled("smooth(lat, sst)", "", scope);
  EXPECT_EQ(outcome.problems, "");
  EXPECT_TRUE(outcome.at("d").may_miss);
}

}  // namespace
}  // namespace tailrace::analytics::testing
