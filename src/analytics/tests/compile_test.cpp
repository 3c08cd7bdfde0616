// Names, dimensions, calls, rewrites and merging; units have their own file.
#include "analytics/compile.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analytics/expression/rewrites.hpp"
#include "analytics/tests/compile_scope.hpp"
#include "base/index.hpp"

namespace tailrace::analytics {
namespace {

using testing::compile_all;
using testing::compiled;
using testing::complaint;
using testing::small_scope;
using testing::source;

void expect_complaint(const std::string& text, const std::string& start) {
  const std::string said = complaint(text);
  EXPECT_TRUE(said.starts_with(start)) << text << "\n" << said;
}

TEST(CompileNames, AreFieldsWithTheirNamespace) {
  EXPECT_EQ(compiled("scalar.vwp").text(), "scalar.vwp");
  EXPECT_EQ(compiled("scalar.vwp").dims(), "rank,y");
  EXPECT_EQ(compiled("dt * w").dims(), "z,y,x");
}

TEST(CompileNames, UnknownOnesAreReportedWithTheNearest) {
  expect_complaint("w + tth",
                   "5 there is no field or diagnostic \"tth\". Did you mean \"th\"? (known: area, ");
  expect_complaint("vwp", "1 there is no field or diagnostic \"vwp\". Did you mean \"scalar.vwp\"?");
  expect_complaint("x * w", "1 \"x\" is a dimension, but the model declares no coordinate of that name");
  expect_complaint("x_size * w", "1 \"x_size\" is an option: write {x_size}");
  expect_complaint("2 * sqrt", "5 \"sqrt\" is a function: write sqrt(...)");
}

TEST(CompileNames, PlacesAreThoseOfTheFile) {
  auto one = source("d", "w +\n    tth");
  EXPECT_TRUE(compile_all({one}).problems.starts_with("run.yml:4:14  diagnostics.d.is: there is no field"));
}

TEST(CompileNames, AllMistakesAreReportedTogether) {
  const auto outcome = compile_all({source("a", "foo1 + sin(foo2)"), source("b", "(", "", false, 4)});
  EXPECT_NE(outcome.problems.find("run.yml:3:10"), std::string::npos);
  EXPECT_NE(outcome.problems.find("run.yml:3:21"), std::string::npos);
  EXPECT_NE(outcome.problems.find("run.yml:4:11"), std::string::npos);
}

TEST(CompileNames, ConstantsYieldToFields) {
  EXPECT_EQ(compiled("w * pi").text(), "(w * 3.141592653589793)");
  EXPECT_EQ(compiled("where(w > 0, w, nan)").text(), "where((w > 0), w, nan)");
  Scope scope = small_scope();
  scope.inputs.push_back({"pi", {{}, "1"}});
  EXPECT_EQ(compiled("w * pi", "", scope).text(), "(w * pi)");
}

TEST(CompileOptions, AreNumbers) {
  EXPECT_EQ(compiled("th / ({x_size} * {y_size})").text(), "(th / 48)");
  EXPECT_EQ(compiled("w ** ({n} + 27)").text(), "square(w)");
  expect_complaint("{xsize} * w", "1 the model gives no option \"xsize\". Did you mean \"x_size\"?");
  expect_complaint("w * {name}", "5 the option \"name\" is \"bubble\", and a number is expected here");
}

TEST(CompileOptions, AreAnyNumberBeforeTheModelDeclaresThem) {
  Scope scope = small_scope();
  scope.options.clear();
  scope.options_known = false;
  EXPECT_EQ(compiled("th / ({x_size} * {y_size})", "K", scope).problems, "");
  EXPECT_EQ(compiled("w ** {n} + th", "", scope).problems, "");  // its units depend on n
}

TEST(CompileDims, PositionalNamesOfDimensionsAreDims) {
  EXPECT_EQ(compiled("max(th, y, x)").dims(), "z");
  EXPECT_EQ(compiled("max(th, x, y)").text(), "max(th, y, x)");
  EXPECT_EQ(compiled("max(th)").text(), "max(th, z, y, x)");
  EXPECT_EQ(compiled("max(th, z)").dims(), "y,x");  // z is a dimension and a coordinate
  EXPECT_EQ(compiled("max(z * w, z)").text(), "max((z * w), z)");
}

TEST(CompileDims, ANameThatOccursTwiceIsFirstTheCoordinate) {
  const auto outcome = compiled("interpolate(th, z, z, levels=[150, 250])");
  ASSERT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.node().args.size(), 2U);
  EXPECT_EQ(outcome.node().call.dims, std::vector<std::string>{"z"});
}

TEST(CompileDims, CoordinatesArePassedToOperatorsThatRequestThem) {
  const auto outcome = compiled("select(th, z=150)");
  ASSERT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.node().call.parameters.at("z.coordinates"),
            ParameterValue(std::vector<double>{0.0, 100.0, 200.0, 300.0, 400.0}));
}

TEST(CompileDims, ReductionsOfSeveralArraysGetThemWithTheSameDims) {
  const auto outcome = compiled("vertical_integral(th, rho, z)");
  ASSERT_EQ(outcome.problems, "");
  ASSERT_EQ(outcome.node().call.arguments.size(), 2U);
  EXPECT_EQ(outcome.node().call.arguments[0].dims, outcome.node().call.arguments[1].dims);
  EXPECT_EQ(outcome.text(), "vertical_integral(th, where(1, rho, th), z)");
}

TEST(CompileDims, InvalidOnesAreReported) {
  expect_complaint("mean(th, yy)",
                   "10 \"yy\" is not a dimension of the argument (it has: z, y, x). Did you mean \"y\"?");
  expect_complaint("max(th, t)", "9 \"t\" is not a dimension of the argument (it has: z, y, x)");
  expect_complaint("max(rho, x)", "10 \"x\" is not a dimension of the argument (it has: z)");
  expect_complaint("max(th, y, y)", "12 the dimension \"y\" is given twice");
  expect_complaint("mean(th, y, w + 1)", "15 the name of a dimension is expected here");
  expect_complaint("cov(th, rho, z, x)", "9 this has no dimension \"x\"");
  expect_complaint("th + coarse", "4 the dimension \"y\" has 6 cells in one argument and 3 in another");
}

TEST(CompileDims, AreBroadcastByName) {
  EXPECT_EQ(compiled("rho * area").dims(), "z,y,x");
  EXPECT_EQ(compiled("area * th").dims(), "z,y,x");
  EXPECT_EQ(compiled("th * sections").dims(), "t,z,y,x");
  const auto outcome = compiled("th * rho");
  EXPECT_TRUE(outcome.node().shape.dims[1].split);
  EXPECT_FALSE(outcome.node().shape.dims[0].split);
}

TEST(CompileCalls, InvalidOnesAreReported) {
  expect_complaint("men(th)", "1 there is no function \"men\". Did you mean \"mean\"?");
  expect_complaint("th(2)", "1 \"th\" is not a function; a product needs a *");
  expect_complaint("qqqqqqqq(th)", "1 there is no function \"qqqqqqqq\" (known: abs, ");
  expect_complaint("sqrt(w, w)", "1 sqrt(a) takes 1 argument, not 2");
  expect_complaint("where(w)", "1 where(cond, a, b) takes 3 arguments, not 1");
  expect_complaint("sqrt(q, n=2)", "9 sqrt(a) takes no named arguments");
  expect_complaint("mean(th, by=2)", "10 mean(a, dims..., weights=, skip_missing=0) takes no \"by\".");
  expect_complaint("mean()", "1 mean(a, dims..., weights=, skip_missing=0) takes 1 array, but is given 0");
  expect_complaint("cov(w)", "1 cov(a, b, dims..., weights=, skip_missing=0, ddof=0) takes 2 arrays");
  expect_complaint("mask(w, w > 0, x)", "16 mask(a, cond) takes no dimensions");
  expect_complaint("sum(2)", "5 sum needs an array, but this is a number");
  expect_complaint("mean(2)", "6 an array is expected here, but this is a number");
  expect_complaint("w + \"a\"", "5 a text in quotes is allowed only after the = of a named argument");
  expect_complaint("3 + 4", "1 a diagnostic is computed from fields, but this is only a number");
  expect_complaint("max(th, skip_missing=2)", "9 ");
  expect_complaint("max(th, foo=2)", "9 ");
  expect_complaint("max(th, skip_missing=w * 1)", "24 this must be a number known before the run");
  expect_complaint("var(w, ddof=1, weights=rho)", "8 ddof and weights cannot be given together");
  expect_complaint("mean(rho, weights=area)",
                   "11 the weights have a dimension \"y\", which the argument does not have");
}

TEST(CompileCalls, ParametersAreNumbersListsAndWords) {
  const auto outcome = compiled("quantile(th, y, x, q=[0.1, 1 - 0.5, {x_size} / 10])");
  ASSERT_EQ(outcome.problems, "");
  const auto& q = outcome.node().call.parameters.at("q");
  EXPECT_EQ(std::get<std::vector<double>>(q), (std::vector<double>{0.1, 0.5, 0.8}));
  EXPECT_EQ(compiled("max(th, skip_missing=1)").node().call.parameters.at("skip_missing"),
            ParameterValue(1.0));
}

TEST(CompileRewrites, AreWrittenWithSums) {
  EXPECT_EQ(compiled("mean(th, y, x)").text(), "(sum(th, y, x) / 48)");
  EXPECT_EQ(compiled("mean(scalar.vwp)").text(), "(sum(scalar.vwp, rank, y) / 12)");
  EXPECT_EQ(compiled("mean(dt)").text(), "dt");
  EXPECT_EQ(compiled("mean(th, skip_missing=1)").text(),
            "(sum(th, z, y, x, skip_missing=1) / count(th, z, y, x))");
  EXPECT_EQ(compiled("mean(th, weights=area)").text(), "(sum((th * area), z, y, x) / (sum(area, y, x) * 5))");
  EXPECT_EQ(compiled("mean(th, z, weights=area)").text(), "(sum((th * area), z) / (area * 5))");
  EXPECT_EQ(compiled("mean(th, y, x, weights=area*rho)").text(),
            "(sum((th * (area * rho)), y, x) / sum((area * rho), y, x))");
  EXPECT_EQ(compiled("sum(th, z, weights=rho)").text(), "sum((th * rho), z)");
  EXPECT_EQ(compiled("anomaly(th, y, x)").text(), "(th - (sum(th, y, x) / 48))");
  EXPECT_EQ(compiled("var(th, x)").text(), "(sum(square((th - (sum(th, x) / 8))), x) / 8)");
  EXPECT_EQ(compiled("var(th, x, ddof=1)").text(), "(sum(square((th - (sum(th, x) / 8))), x) / 7)");
  EXPECT_EQ(compiled("std(th, x)").text(), "sqrt((sum(square((th - (sum(th, x) / 8))), x) / 8))");
  EXPECT_EQ(compiled("rms(w, x)").text(), "sqrt((sum(square(w), x) / 8))");
  EXPECT_EQ(compiled("cov(w, th, x)").text(),
            "(sum(((w - (sum(w, x) / 8)) * (th - (sum(th, x) / 8))), x) / 8)");
  EXPECT_EQ(compiled("covariance(w, th, x)").text(), compiled("cov(w, th, x)").text());
  EXPECT_EQ(compiled("corr(w, th)").units(), "1");
  EXPECT_EQ(compiled("mask(th, w > 0)").text(), "where((w > 0), th, nan)");
}

TEST(CompileRewrites, MeanTakesMeanAndCovarianceTheSameNodes) {
  const auto outcome =
      compile_all({source("flux", "mean((w - mean(w, y, x)) * (th - mean(th, y, x)), y, x)"),
                   source("cov_wth", "cov(w, th, y, x)"), source("cov_thw", "cov(th, w, y, x)")});
  ASSERT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.at("flux").node, outcome.at("cov_wth").node);
  EXPECT_EQ(outcome.at("flux").node, outcome.at("cov_thw").node);
}

TEST(CompileRewrites, AreDocumented) {
  std::string last;
  for (const auto& rewrite : expression::rewrites()) {
    EXPECT_LT(last, rewrite.name);
    EXPECT_TRUE(rewrite.doc.signature.starts_with(rewrite.name + "(")) << rewrite.name;
    EXPECT_FALSE(rewrite.doc.description.empty());
    last = rewrite.name;
  }
}

TEST(CompileMerge, EqualWorkIsOneNode) {
  const auto outcome =
      compile_all({source("a", "sum(w * th, y, x)"), source("b", "sum(th * w, x, y) + sum(th * w, y, x)"),
                   source("c", "w * th")});
  ASSERT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.compiled.graph.nodes.size(), 5U);  // w, th, w * th, its sum, and the sum of both
  EXPECT_EQ(outcome.node("a").args[0], outcome.at("c").node);
}

TEST(CompileMerge, DifferentWorkIsNot) {
  const auto outcome = compile_all(
      {source("a", "max(w, y)"), source("b", "max(w, x)"), source("c", "max(w, x, skip_missing=1)"),
       source("d", "w - th * 0"), source("e", "min(w, x)")},
      [] {
        Scope scope = small_scope();
        for (Input& input : scope.inputs) input.shape.units = "1";
        return scope;
      }());
  ASSERT_EQ(outcome.problems, "");
  std::set<int> nodes;
  for (const Diagnostic& diagnostic : outcome.compiled.graph.diagnostics) nodes.insert(diagnostic.node);
  EXPECT_EQ(nodes.size(), 5U);
}

TEST(CompileMerge, OrderOfDimsMatters) {
  Scope scope = small_scope();
  scope.inputs.push_back({"turned", {{{"x", testing::nx, true}, {"y", testing::ny, true}}, "m2"}});
  const auto outcome = compile_all({source("a", "area + turned"), source("b", "turned + area")}, scope);
  EXPECT_EQ(outcome.dims("a"), "y,x");
  EXPECT_EQ(outcome.dims("b"), "x,y");
}

TEST(CompileMerge, ConstantsAreComputedAtOnce) {
  EXPECT_EQ(compiled("w * (2 ** 3 - 6 / 2) * 1e0").text(), "((w * 5) * 1)");
  EXPECT_EQ(compiled("where(2 > 1, 3, 4) * w").text(), "(3 * w)");
  EXPECT_EQ(compiled("w * -sqrt(4)").text(), "(w * -2)");
}

TEST(CompileMerge, TheRootOfAnExtremeIsTakenOnce) {
  EXPECT_EQ(compiled("max(sqrt(w*w + w**2), y, x)").text(), "sqrt(max(((w * w) + square(w)), y, x))");
  EXPECT_EQ(compiled("max(sqrt(w*w + w**2), y, x)").units(), "m s-1");
  EXPECT_EQ(compiled("max(sqrt(w*w + w**2), y, x)").dims(), "z");
  EXPECT_EQ(compiled("min(sqrt(abs(q) * sqrt(q) + 0.5), z, skip_missing=1)").text(),
            "sqrt(min(((abs(q) * sqrt(q)) + 0.5), z, skip_missing=1))");
  EXPECT_EQ(compiled("max(with_units(sqrt(q * q), units=\"K\"))").units(), "K");
}

TEST(CompileMerge, RootsOfPossiblyNegativeValuesStay) {
  for (const std::string text :
       {"max(sqrt(q), z)", "max(sqrt((q * (q * q))), z)", "max(sqrt((square(q) - 1)), z)",
        "max(sqrt((q + square(q))), z)", "max(sqrt((square(q) * -2)), z)"})
    EXPECT_EQ(compiled(text).text(), text);
  EXPECT_EQ(compiled("sum(sqrt(q * q), z)").text(), "sum(sqrt((q * q)), z)");
}

TEST(CompileMerge, SimplePowersBecomeProductsAndRoots) {
  EXPECT_EQ(compiled("q ** 2").text(), "square(q)");
  EXPECT_EQ(compiled("q ** 0.5").text(), "sqrt(q)");
  EXPECT_EQ(compiled("q ** -1").text(), "(1 / q)");
  EXPECT_EQ(compiled("q ** 1").text(), "q");
  EXPECT_EQ(compiled("q ** 3").text(), "(q ** 3)");
}

TEST(CompileMerge, EveryNodeFollowsItsArgumentsAndIsNeeded) {
  const auto outcome = compile_all({source("a", "cov(w, th, y, x) + b"), source("b", "mean(w * th, y, x)")});
  ASSERT_EQ(outcome.problems, "");
  const auto& nodes = outcome.compiled.graph.nodes;
  std::vector<int> uses(nodes.size(), 0);
  for (const Diagnostic& diagnostic : outcome.compiled.graph.diagnostics)
    ++uses[base::index(diagnostic.node)];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(nodes[i].args.size(), nodes[i].call.arguments.size());
    for (const int argument : nodes[i].args) {
      EXPECT_LT(argument, static_cast<int>(i));
      ++uses[base::index(argument)];
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_GT(uses[i], 0) << i;
}

TEST(CompileDiagnostics, UseEachOtherInAnyOrder) {
  const auto outcome = compile_all({source("b", "a * 2"), source("a", "max(w)")});
  EXPECT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.text("b"), "(max(w, z, y, x) * 2)");
  EXPECT_EQ(outcome.compiled.graph.diagnostics[0].name, "b");
  EXPECT_EQ(outcome.at("b").inputs, std::vector<int>{0});
}

TEST(CompileDiagnostics, CyclesAreReportedWithTheirNames) {
  const auto outcome = compile_all({source("a", "w + b"), source("b", "c * 2"), source("c", "max(a)")});
  EXPECT_NE(outcome.problems.find("diagnostics cannot use each other in a circle: "), std::string::npos);
  EXPECT_NE(outcome.problems.find(" -> "), std::string::npos);
  EXPECT_EQ(std::count(outcome.problems.begin(), outcome.problems.end(), '\n'), 0) << outcome.problems;
  EXPECT_NE(complaint("d + w").find("circle: d -> d"), std::string::npos);
}

TEST(CompileDiagnostics, LongChainsAndCyclesDoNotOverflow) {
  std::vector<DiagnosticSource> chain;
  const int length = 3000;
  for (int i = 0; i + 1 < length; ++i)
    chain.push_back(source(fmt::format("d{}", i), fmt::format("d{} + w", i + 1)));
  chain.push_back(source(fmt::format("d{}", length - 1), "w"));
  EXPECT_EQ(compile_all(chain).problems, "");
  chain.back().text = "d0";
  EXPECT_NE(compile_all(chain).problems, "");
}

TEST(CompileDiagnostics, AMistakeInOneIsNotReportedForOthers) {
  const auto outcome = compile_all({source("a", "w + th"), source("b", "a * 2", "", false, 4)});
  EXPECT_EQ(std::count(outcome.problems.begin(), outcome.problems.end(), '\n'), 0) << outcome.problems;
  EXPECT_TRUE(outcome.problems.starts_with("run.yml:3:12"));
}

TEST(CompileDiagnostics, NamesAreTheirs) {
  EXPECT_NE(compile_all({source("w", "th")}).problems.find("\"w\" is the name of a field"),
            std::string::npos);
  const auto twice = compile_all({source("a", "th"), source("a", "w", "", false, 7)});
  EXPECT_EQ(twice.problems,
            "run.yml:7:10  diagnostics.a.is: there are two diagnostics \"a\"; the other is at run.yml:3:10");
}

TEST(CompileDiagnostics, OptionalOnesAreLeftOutIfAFieldIsAbsent) {
  const auto outcome =
      compile_all({source("a", "max(ice)", "", true), source("b", "a + mean(w)", "", true), source("c", "th"),
                   source("e", "cov(snow, w, y)", "", true), source("f", "max(w, snow)", "", true)});
  EXPECT_EQ(outcome.problems, "");
  ASSERT_EQ(outcome.compiled.graph.diagnostics.size(), 1U);
  ASSERT_EQ(outcome.compiled.warnings.size(), 2U);
  EXPECT_EQ(outcome.compiled.warnings[0], "the model has no field ice; left out: a, b");
  EXPECT_EQ(outcome.compiled.warnings[1], "the model has no field snow; left out: e, f");
}

TEST(CompileDiagnostics, ManyThatAreLeftOutAreDetails) {
  std::vector<DiagnosticSource> sources{source("kept", "th")};
  for (int i = 0; i < 7; ++i)
    sources.push_back(source(fmt::format("d{}", i), fmt::format("max(absent_{})", i), "", true));
  const auto outcome = compile_all(sources);
  EXPECT_EQ(outcome.problems, "");
  EXPECT_TRUE(outcome.compiled.warnings.empty()) << "the plan tells of the fields";
  ASSERT_EQ(outcome.compiled.details.size(), 8U);
  EXPECT_EQ(
      outcome.compiled.details[0],
      "7 optional diagnostics are left out, because the model has no field absent_0, absent_1, absent_2, "
      "absent_3, absent_4 and 2 more");
  EXPECT_EQ(outcome.compiled.details[7], "the model has no field absent_6; left out: d6");
}

TEST(CompileDiagnostics, AnotherThatUsesOneThatIsLeftOutIsAnError) {
  const auto outcome = compile_all({source("a", "max(ice)", "", true), source("b", "a + 1", "", false, 4)});
  EXPECT_EQ(
      outcome.problems,
      "run.yml:4:10  diagnostics.b.is: \"a\" is left out, because the model has no field ice; mark this "
      "diagnostic optional too");
}

TEST(CompileDiagnostics, OtherMistakesInOptionalOnesAreErrors) {
  const auto outcome = compile_all({source("a", "max(ice) + foo(w)", "", true)});
  EXPECT_NE(outcome.problems.find("there is no function \"foo\""), std::string::npos);
}

TEST(GraphText, ListsNodesWithDimsAndUnits) {
  const auto outcome = compiled("max(th, y, x) - 2");
  EXPECT_EQ(text_of(outcome.compiled.graph),
            "#0 = th  [z=5, y/=6, x/=8] K\n#1 = max(#0, y, x)  [z=5] K\n"
            "#2 = 2  [] 1\n#3 = (#1 - #2)  [z=5] K\n");
}

TEST(GraphText, IsTruncatedWhereSharedWorkMakesItGrow) {
  std::vector<DiagnosticSource> doubling{source("d0", "q")};
  for (int i = 1; i < 200; ++i)
    doubling.push_back(source(fmt::format("d{}", i), fmt::format("d{0} + d{0}", i - 1)));
  const auto outcome = compile_all(doubling);
  EXPECT_EQ(outcome.problems, "");
  EXPECT_LT(outcome.text("d199").size(), 5000U);
  EXPECT_NE(outcome.text("d199").find("..."), std::string::npos);
}

}  // namespace
}  // namespace tailrace::analytics
