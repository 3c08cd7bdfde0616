#include <gtest/gtest.h>

#include "analytics/tests/compile_scope.hpp"

namespace tailrace::analytics {
namespace {

using testing::compile_all;
using testing::compiled;
using testing::complaint;
using testing::source;

void expect_units(const std::string& text, const std::string& units) {
  const auto outcome = compiled(text);
  ASSERT_EQ(outcome.problems, "") << text;
  EXPECT_EQ(outcome.units(), units) << text;
}

void expect_complaint(const std::string& text, const std::string& start, const std::string& units = "") {
  const std::string said = complaint(text, units);
  EXPECT_TRUE(said.starts_with(start)) << text << "\n" << said;
}

TEST(CompileUnits, AreComputed) {
  expect_units("w * th", "m s-1 K");
  expect_units("w / dt", "m s-2");
  expect_units("1 / dt", "s-1");
  expect_units("q * rho", "kg m-3");
  expect_units("2 * p", "Pa");
  expect_units("-w", "m s-1");
  expect_units("w ** 2", "m2 s-2");
  expect_units("w ** -1", "m-1 s");
  expect_units("w ** 3", "m3 s-3");
  expect_units("sqrt(w * w)", "m s-1");
  expect_units("cbrt(z * z * z)", "m");
  expect_units("w > 0", "1");
  expect_units("where(w > 0.1, th, 0)", "K");
  expect_units("log(p / with_units(100000, units=\"Pa\"))", "1");
  expect_units("atan2(w, w)", "1");
  expect_units("maximum(w, 0)", "m s-1");
  expect_units("clip(q, 0, 1)", "kg kg-1");
  expect_units("isnan(th)", "1");
  expect_units("w % 2", "m s-1");
}

TEST(CompileUnits, NumbersTakeTheUnitsOfTheirOperands) {
  expect_units("th - 273.15", "K");
  expect_units("273.15 + th", "K");
  expect_units("1 + 0.61 * q", "kg kg-1");
  EXPECT_EQ(complaint("exp((1 + 2) * q)"), "nothing: ");
}

TEST(CompileUnits, DifferentKindsCannotBeAddedOrCompared) {
  expect_complaint("w + th", "3 these cannot be added: the units \"m s-1\" and \"K\" are incompatible");
  expect_complaint("w - 2 * th", "3 these cannot be subtracted");
  expect_complaint("mean(w) < th", "9 these cannot be compared");
  expect_complaint("where(w > 0, w, th)", "1 these cannot be chosen between");
  expect_complaint("maximum(w, th)", "1 these cannot be compared");
  expect_complaint("hypot(w, p)", "1 these cannot be taken together");
}

TEST(CompileUnits, AreConvertedWhereOnlyAFactorDiffers) {
  EXPECT_EQ(compiled("p + p_hpa").text(), "(p + (p_hpa * 100))");
  EXPECT_EQ(compiled("p + p_hpa").units(), "Pa");
  EXPECT_EQ(compiled("p < p_hpa").text(), "(p < (p_hpa * 100))");
  EXPECT_EQ(compiled("sin(lat)").text(), "sin((lat * 0.017453292519943295))");
  EXPECT_EQ(compiled("exp(q_g)").text(), "exp((q_g * 0.001))");
}

TEST(CompileUnits, AreNotConvertedAfterAPossibleManualConversion) {
  expect_complaint("p_hpa + p / 100",
                   "7 these cannot be added: the units \"hPa\" and \"Pa\" differ by a factor of 0.01, and "
                   "one was multiplied by a number that may be the conversion; convert with to_units(..., "
                   "units=\"hPa\"), or, if the numbers are already in hPa, state this with with_units(..., "
                   "units=\"hPa\")");
  expect_complaint("p / 100 + p_hpa", "9 these cannot be added");
  expect_complaint("sin(lat * pi / 180)", "5 sin(a) takes numbers without units");
  EXPECT_EQ(compiled("p_hpa + with_units(p / 100, units=\"hPa\")").text(), "(p_hpa + (p / 100))");
  EXPECT_EQ(compiled("p_hpa + to_units(0.5 * p, units=\"hPa\")").problems, "");
}

TEST(CompileUnits, NumbersBesideScaledRatiosAreAmbiguous) {
  expect_complaint("1 + 0.61 * q_g", "1 it is not clear whether this number is in \"g kg-1\" or in \"1\"");
  EXPECT_EQ(compiled("1 + 0.61 * to_units(q_g, units=\"1\")").problems, "");
  EXPECT_EQ(compiled("q_g > 5").problems, "");
  EXPECT_EQ(compiled("maximum(q_g, 0) + 0").problems, "");
}

TEST(CompileUnits, UnitsWithOriginsAllowOnlySafeOperations) {
  expect_units("t_c - mean(t_c)", "K");
  expect_units("t_c - 3", "degC");
  expect_units("mean(t_c, weights=area)", "degC");
  expect_units("var(t_c)", "K2");
  expect_units("std(t_c)", "K");
  expect_units("max(t_c)", "degC");
  expect_units("to_units(t_c, units=\"K\") * w", "K m s-1");
  expect_complaint("t_c + th", "1 \"degC\" has an origin of its own and cannot be added");
  expect_complaint("t_c - th",
                   "5 these cannot be subtracted: the units \"degC\" and \"K\" have different origins");
  expect_complaint("w * t_c", "5 \"degC\" has an origin of its own and cannot be multiplied");
  expect_complaint("t_c ** 2", "1 \"degC\" has an origin");
  expect_complaint("1 / t_c", "5 \"degC\" has an origin");
}

TEST(CompileUnits, ToUnitsConvertsWithUnitsOnlyNames) {
  EXPECT_EQ(compiled("to_units(t_c, units=\"K\")").text(), "(t_c + 273.15)");
  EXPECT_EQ(compiled("to_units(p, units='hPa')").text(), "(p * 0.01)");
  EXPECT_EQ(compiled("with_units(odd, units=\"Pa\") + p").text(), "(odd + p)");
  EXPECT_EQ(compiled("with_units(p, units=\"hPa\")").units(), "hPa");
  expect_complaint("to_units(p, units=\"K\")", "10 this is in \"Pa\", which cannot be converted to \"K\"");
  expect_complaint("to_units(p, units=\"foo\")", "13 UDUNITS does not know the units \"foo\"");
  expect_complaint("to_units(p)", "1 units=\"...\" is missing");
  expect_complaint("to_units(odd, units=\"K\")", "10 the units of this are unknown");
  expect_complaint("with_units(p, units=3)", "15 units must be a text such as");
}

TEST(CompileUnits, PowersNeedUnitsThatExist) {
  expect_complaint("sqrt(w)", "6 \"m s-1\" to the power 0.5 is not a unit");
  expect_complaint(
      "p ** 0.286",
      "1 \"Pa\" to the power 0.286 is not a unit; divide by a value with these units first, such as "
      "with_units(1, units=\"Pa\")");
  expect_units("(p / with_units(1, units=\"Pa\")) ** 0.286", "1");
  expect_complaint("2 ** th", "6 a ** b takes numbers without units here, but this is in \"K\"");
  expect_complaint("w ** q", "1 a ** b takes numbers without units here");
  expect_units("sqrt(q_g)", "1");
  EXPECT_EQ(compiled("sqrt(q_g)").text(), "sqrt((q_g * 0.001))");
  expect_units("(p / 100000 / with_units(1, units=\"Pa\")) ** 0.286", "1");
}

TEST(CompileUnits, FunctionsNeedNumbersWithoutUnits) {
  expect_complaint("exp(th)", "5 exp(a) takes numbers without units here, but this is in \"K\"");
  expect_complaint("w + log(p)", "9 log(a) takes numbers");
}

TEST(CompileUnits, DeclaredOnesAreCompared) {
  EXPECT_EQ(compiled("w * th", "K m/s").units(), "K m/s");
  EXPECT_EQ(compiled("w * th", "K m/s").text(), "(w * th)");
  EXPECT_EQ(compiled("mean(p)", "hPa").text(), "((sum(p, z, y, x) / 240) * 0.01)");
  EXPECT_EQ(compiled("w > 0", "1").problems, "");
  expect_complaint("w * th", "1 the result does not agree with \"units: Pa\": the units \"Pa\" and", "Pa");
  expect_complaint("p / 100",
                   "1 the result does not agree with \"units: hPa\": the units \"hPa\" and \"Pa\" differ",
                   "hPa");
  expect_complaint("th - 273.15", "1 the result does not agree with \"units: degC\"", "degC");
  EXPECT_EQ(compiled("with_units(p / 100, units=\"hPa\")", "hPa").problems, "");
}

TEST(CompileUnits, DiagnosticsHaveTheUnitsThatTheyDeclare) {
  const auto outcome = compile_all({source("b", "a + p_hpa"), source("a", "p", "hPa")});
  EXPECT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.text("b"), "((p * 0.01) + p_hpa)");
}

TEST(CompileUnits, UnknownOnesGiveOneWarningPerDiagnostic) {
  const auto outcome = compiled("plain * w + odd / plain", "K");
  EXPECT_EQ(outcome.problems, "");
  ASSERT_EQ(outcome.compiled.warnings.size(), 1U);
  EXPECT_EQ(outcome.compiled.warnings[0],
            "run.yml:3:10  diagnostics.d.is: the units of odd, plain are unknown, so those of this "
            "diagnostic are "
            "not checked");
  EXPECT_EQ(outcome.units(), "K");
  EXPECT_EQ(compiled("plain + w").units(), "");
  EXPECT_EQ(compiled("plain + 1").units(), "");
  EXPECT_EQ(compiled("max(odd)").units(), "SI");
  EXPECT_EQ(compiled("exp(plain)").units(), "1");
}

TEST(CompileUnits, DeclaredOnesThatUdunitsDoesNotKnowAreKept) {
  const auto outcome = compile_all({source("a", "w", "SI"), source("b", "w * w", "SI")});
  EXPECT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.units("a"), "SI");
  ASSERT_EQ(outcome.compiled.warnings.size(), 1U);
  EXPECT_EQ(
      outcome.compiled.warnings[0],
      "run.yml:3:10  UDUNITS does not know the units \"SI\"; they are written unchanged and not checked: a, "
      "b");
}

}  // namespace
}  // namespace tailrace::analytics
