#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dialects/monc/numbers.hpp"
#include "dialects/monc/rules/equation.hpp"
#include "dialects/monc/tests/support.hpp"

namespace tailrace::dialects::monc::testing {
namespace {

constexpr const char* fields =
    "<data-definition name=\"d\" frequency=\"5\" namespace=\"ns\">"
    "<field name=\"vwp\" type=\"array\" data_type=\"double\" optional=true/>"
    "<field name=\"p\" type=\"array\" size=\"z\" data_type=\"double\"/>"
    "<field name=\"q\" type=\"array\" size=\"z\" data_type=\"double\"/>"
    "<field name=\"pn\" type=\"array\" size=\"zn\" data_type=\"double\"/>"
    "<field name=\"s\" type=\"scalar\" data_type=\"double\"/>"
    "<field name=\"s2\" type=\"scalar\" data_type=\"double\"/>"
    "<field name=\"w\" type=\"array\" size=\"z,y,x\" data_type=\"double\" collective=true/>"
    "</data-definition>\n"
    "<data-definition name=\"plain\" frequency=\"5\">"
    "<field name=\"th\" type=\"array\" size=\"z,y,x\" data_type=\"double\" collective=true/>"
    "</data-definition>\n";

// The rules of one diagnostic `r` on line 4.
Outcome with_rules(const std::string& rules, const std::map<std::string, std::string>& values = {}) {
  return translated(
      std::string(fields) +
          "<data-handling namespace=\"ns\">\n<diagnostic field=\"r\" type=\"scalar\" data_type=\"double\">" +
          rules + "</diagnostic></data-handling>",
      values);
}

std::string is(const std::string& rules, const std::map<std::string, std::string>& values = {}) {
  const Outcome outcome = with_rules(rules, values);
  return outcome.problems.empty() ? outcome.at("diagnostics", "ns.r", "is") : outcome.problems;
}

std::string equation(const std::string& text, const std::map<std::string, std::string>& values = {}) {
  return is("<operator name=\"arithmetic\" result=\"r\" equation=\"" + text + "\"/>", values);
}

std::string local(const std::string& function, const std::string& field, const std::string& result) {
  return "<operator name=\"localreduce\" operator=\"" + function + "\" field=\"" + field + "\" result=\"" +
         result + "\"/>";
}

std::string over(const std::string& function, const std::string& field, const std::string& result,
                 const std::string& kind = "reduction") {
  return "<communication name=\"" + kind + "\" operator=\"" + function + "\" field=\"" + field +
         "\" result=\"" + result + "\" root=\"auto\"/>";
}

TEST(MoncRules, ALocalAndAGlobalReductionAreOne) {
  EXPECT_EQ(is(local("sum", "vwp", "l") + over("sum", "l", "r")), "sum(ns.vwp)");
  EXPECT_EQ(is(over("max", "l", "r") + local("max", "vwp", "l")), "max(ns.vwp)");
  EXPECT_EQ(is(local("min", "w", "l") + over("min", "l", "r")), "min(ns.w)");
  EXPECT_EQ(is(local("mean", "w", "l") + over("mean", "l", "r", "allreduction")), "mean(ns.w)");
}

TEST(MoncRules, MeansOverProcessesAreSpokenOf) {
  const Outcome mean = with_rules(local("mean", "w", "l") + over("mean", "l", "r"));
  EXPECT_TRUE(holds(mean.warnings, "MONC computes the mean over processes, whatever their sizes"));
  EXPECT_EQ(is(over("mean", "p", "r")), "mean(ns.p, rank)");
}

TEST(MoncRules, AProfileOfEachProcessIsReducedOverRanks) {
  EXPECT_EQ(is(over("sum", "p", "r")), "sum(ns.p, rank)");
  EXPECT_EQ(is(over("sum", "vwp", "r")), "sum(ns.vwp, rank)");
  EXPECT_EQ(is(over("max", "s", "r")), "max(ns.s)");
  EXPECT_EQ(is("<operator name=\"arithmetic\" result=\"l\" equation=\"p*q\"/>" + over("sum", "l", "r")),
            "sum(ns.p*ns.q, rank)");
}

TEST(MoncRules, TheShippedForm) {
  const Outcome outcome =
      with_rules("<operator name=\"arithmetic\" result=\"r\" equation=\"g/({x_size}*{y_size})\"/>" +
                 over("sum", "l", "g") + local("sum", "vwp", "l"));
  EXPECT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.at("diagnostics", "ns.r", "is"), "sum(ns.vwp)/({x_size}*{y_size})");
  EXPECT_EQ(outcome.at("diagnostics", "ns.r", "optional"), "true");
  EXPECT_EQ(outcome.tree.find("diagnostics")->value.entries[0].value.find("is")->value.location.line, 4);
}

TEST(MoncRules, SumsOfLocalSumsAreLinear) {
  EXPECT_EQ(is("<operator name=\"arithmetic\" result=\"l\" equation=\"(a-b)*{k}/4.0\"/>" +
               local("sum", "vwp", "a") + local("sum", "w", "b") + over("sum", "l", "r")),
            "(sum(ns.vwp)-sum(ns.w))*{k}/4.0");
  EXPECT_TRUE(
      holds(is("<operator name=\"arithmetic\" result=\"l\" equation=\"a*b\"/>" + local("sum", "vwp", "a") +
               local("sum", "w", "b") + over("sum", "l", "r")),
            "the sum over processes of sum(ns.vwp)*sum(ns.w) depends on the decomposition of the domain"));
  EXPECT_TRUE(holds(is(local("sum", "w", "l") + over("max", "l", "r")),
                    "depends on the decomposition of the domain"));
  // A field that each process has as a whole can be reduced in two steps.
  EXPECT_EQ(is(local("sum", "p", "l") + over("max", "l", "r")), "max(sum(ns.p, z), rank)");
}

TEST(MoncRules, WithoutACommunication) {
  const Outcome reduced = with_rules(local("sum", "w", "r"));
  EXPECT_EQ(reduced.at("diagnostics", "ns.r", "is"), "sum(ns.w)");
  EXPECT_TRUE(holds(reduced.warnings, "MONC writes the value of one process"));
  EXPECT_EQ(equation("w*2.0"), "ns.w*2.0");
  EXPECT_TRUE(holds(with_rules("<operator name=\"arithmetic\" result=\"r\" equation=\"p*2.0\"/>").warnings,
                    "whichever process comes first"));
}

TEST(MoncRules, WhatMeansNothingIsRefused) {
  EXPECT_TRUE(holds(is(over("sum", "w", "r")),
                    "each process holds a different part of ns.w: a localreduce must come first"));
  EXPECT_TRUE(holds(is(over("sum", "p", "g") + over("sum", "g", "r")), "would count it several times"));
  EXPECT_EQ(is(over("sum", "p", "g") + over("max", "g", "r")), "sum(ns.p, rank)");
  EXPECT_EQ(is(over("sum", "p", "g") + local("max", "g", "r")), "max(sum(ns.p, rank))");
}

TEST(MoncRules, Broadcast) {
  EXPECT_EQ(is(over("sum", "p", "g") + "<communication name=\"broadcast\" field=\"g\" result=\"r\" root=0/>"),
            "sum(ns.p, rank)");
  EXPECT_EQ(is("<communication name=\"broadcast\" field=\"p\" result=\"r\" root=\"auto\"/>"),
            "slice(ns.p, rank=0)");
  EXPECT_TRUE(holds(is("<communication name=\"broadcast\" field=\"w\" result=\"r\" root=\"auto\"/>"),
                    "is not defined"));
}

TEST(MoncRules, ThePlaceOfAnExtreme) {
  const std::string rules = over("max", "s", "top", "allreduction") +
                            "<operator name=\"reductionlocation\" result=\"l\" input=\"s2,top,s\"/>" +
                            over("max", "l", "r");
  EXPECT_EQ(is(rules), "max(where(ns.s == max(ns.s), ns.s2, -1))");
  EXPECT_TRUE(holds(is("<operator name=\"reductionlocation\" result=\"r\" input=\"s2,s\"/>"),
                    "expected three names"));
  EXPECT_TRUE(holds(
      is(local("max", "w", "m") + over("max", "m", "g") +
         "<operator name=\"reductionlocation\" result=\"l\" input=\"s2,g,m\"/>" + over("max", "l", "r")),
      "cannot be derived from the result of a localreduce"));
}

TEST(MoncRules, SlicesAndCoarsening) {
  EXPECT_EQ(is("<operator name=\"field_slicer\" field=\"th\" dimension=\"z\" index=\"3\" result=\"r\"/>"),
            "slice(th, z=2)");
  EXPECT_EQ(
      is("<operator name=\"field_coarsener\" field=\"th\" dimension=\"y,x\" period=\"2,{n}\" result=\"r\"/>"),
      "coarsen(th, y=2, x={n}, method=\"sample\")");
  EXPECT_TRUE(
      holds(is("<operator name=\"field_slicer\" field=\"th\" dimension=\"z\" index=\"0\" result=\"r\"/>"),
            "expected an index from 1, but got \"0\""));
  EXPECT_TRUE(
      holds(is("<operator name=\"field_slicer\" field=\"th\" dimension=\"t\" index=\"1\" result=\"r\"/>"),
            "the dimension \"t\" is unknown"));
  EXPECT_TRUE(holds(
      is("<operator name=\"field_coarsener\" field=\"th\" dimension=\"y,x\" period=\"2\" result=\"r\"/>"),
      "expected a period for each"));
}

TEST(MoncRules, FieldsOfOtherNamespaces) {
  EXPECT_EQ(equation("th"), "th");
  EXPECT_TRUE(holds(equation("tj*2.0"),
                    "\"tj\" is neither a field of a data definition nor a result of this diagnostic. "
                    "Did you mean \"th\"?"));
}

TEST(MoncRules, MistakesOfRules) {
  EXPECT_TRUE(holds(is(local("sun", "w", "r")), "the operator \"sun\" is unknown. Did you mean \"sum\"?"));
  EXPECT_TRUE(holds(is("<operator name=\"aritmetic\" result=\"r\" equation=\"w\"/>"),
                    "Did you mean \"arithmetic\"?"));
  EXPECT_TRUE(holds(is("<operator name=\"arithmetic\" equation=\"w\"/>"), "needs the attribute \"result\""));
  EXPECT_TRUE(holds(is("<operator name=\"arithmetic\" result=\"r\"/>"),
                    "arithmetic needs the attribute \"equation\""));
  EXPECT_TRUE(holds(is("<operator name=\"arithmetic\" result=\"R\" equation=\"w\"/>"),
                    "no rule of this diagnostic has the result \"r\""));
  EXPECT_TRUE(holds(is("<communication name=\"reduction\" operator=\"sum\" field=\"p\" result=\"r\"/>"),
                    "<communication> needs the attribute \"root\""));
  EXPECT_TRUE(
      holds(is("<communication name=\"reduction\" operator=\"sum\" field=\"p\" result=\"r\" root=\"aut\"/>"),
            "expected auto or the number of a server"));
  EXPECT_TRUE(holds(equation("a") + is(over("sum", "p", "r") + over("max", "p", "r")),
                    "is given twice in this diagnostic"));
  EXPECT_TRUE(holds(is("<operator name=\"arithmetic\" result=\"r\" equation=\"a+1.0\"/>"
                       "<operator name=\"arithmetic\" result=\"a\" equation=\"r\"/>"),
                    "\"r\" depends on itself"));
}

TEST(MoncRules, LongChainsEndInAMessage) {
  std::string rules;
  for (int i = 0; i < 40; ++i)
    rules += fmt::format("<operator name=\"arithmetic\" result=\"{}\" equation=\"c{}+c{}\"/>",
                         i == 0 ? std::string("r") : fmt::format("c{}", i), i + 1, i + 1);
  rules += "<operator name=\"arithmetic\" result=\"c40\" equation=\"w\"/>";
  EXPECT_TRUE(holds(is(rules), "is too long"));
  EXPECT_TRUE(holds(equation(std::string(1000, '(') + "w" + std::string(1000, ')')), "more than 1000 parts"));
  EXPECT_TRUE(holds(equation(std::string(300, '(') + "w" + std::string(300, ')')), "is nested too deeply"));
}

TEST(MoncEquations, TheUsualPrecedenceOrMoncs) {
  const std::map<std::string, std::string> legacy{{"legacy", "monc"}};
  EXPECT_EQ(equation("p-q+w"), "ns.p-ns.q+ns.w");
  EXPECT_EQ(equation("p-q+w", legacy), "ns.p-(ns.q+ns.w)");
  EXPECT_EQ(equation("p*q/w"), "ns.p*ns.q/ns.w");
  EXPECT_EQ(equation("p*q/w", legacy), "ns.p*(ns.q/ns.w)");
  EXPECT_EQ(equation("p/q*w", legacy), "ns.p/ns.q*ns.w");
  EXPECT_EQ(equation("p*q%w"), "ns.p*ns.q%ns.w");
  EXPECT_EQ(equation("p*q%w", legacy), "ns.p*(ns.q%ns.w)");
  EXPECT_EQ(equation("p-q-w", legacy), "ns.p-ns.q-ns.w");
  EXPECT_EQ(equation("(p-q)*w"), "(ns.p-ns.q)*ns.w");
  EXPECT_EQ(equation("p-(q-w)"), "ns.p-(ns.q-ns.w)");
  EXPECT_EQ(equation("-p + -2.5"), "-ns.p+-2.5");
}

TEST(MoncEquations, DifferencesInValueAreSpokenOf) {
  const auto warnings = [](const std::string& text) {
    return with_rules("<operator name=\"arithmetic\" result=\"r\" equation=\"" + text + "\"/>").warnings;
  };
  EXPECT_TRUE(holds(warnings("w-th+w"),
                    "  MONC reads w-th+w as w-(th+w); it is read by the usual rules here, as (w-th)+w"));
  EXPECT_EQ(warnings("w*th/w"), "");  // but for rounding
  EXPECT_EQ(warnings("w/({x_size}*{y_size})"), "");
  EXPECT_TRUE(holds(warnings("w*th%w"), "MONC reads"));
  EXPECT_TRUE(holds(warnings("w+pn*p"), "values along z with values along zn"));
}

TEST(MoncEquations, NumbersWithoutAPoint) {
  const std::map<std::string, std::string> legacy{{"legacy", "monc"}};
  EXPECT_EQ(equation("w*100"), "ns.w*100");
  EXPECT_EQ(equation("w*100", legacy), "ns.w*1");
  EXPECT_EQ(equation("w*0.5", legacy), "ns.w*0.5");
  EXPECT_TRUE(
      holds(with_rules("<operator name=\"arithmetic\" result=\"r\" equation=\"w*100\"/>").warnings,
            "MONC reads the number 100 as 1, since it has no decimal point; here it is read as written"));
  EXPECT_EQ(equation("w*1e-3"), "ns.w*1e-3");
  EXPECT_EQ(equation("{a}*{b}"), "{a}*{b}");
  EXPECT_EQ(equation("{a}*w", {{"a", "-2.5"}}), "(-2.5)*ns.w");
}

TEST(MoncEquations, MistakesHavePlaces) {
  EXPECT_TRUE(holds(equation("w+"), "ends where a name or number is expected"));
  EXPECT_TRUE(holds(equation("(w"), "expected `)` here"));
  EXPECT_TRUE(holds(equation("w)"), "expected an operator here"));
  EXPECT_TRUE(holds(equation("w**2.0"), "expected a name, a number, {option} or a parenthesis here"));
  EXPECT_TRUE(holds(equation("w*nono"), "a.xml:4:107  \"nono\" is neither"));
}

TEST(MoncNumbers, AsMoncReadsThem) {
  EXPECT_DOUBLE_EQ(real_as_monc_reads("30"), static_cast<double>(0.3F));
  EXPECT_DOUBLE_EQ(real_as_monc_reads("100"), 1.0);
  EXPECT_DOUBLE_EQ(real_as_monc_reads("0.1"), static_cast<double>(0.1F));
  EXPECT_DOUBLE_EQ(real_as_monc_reads("1.5e3"), 1500.0);
  EXPECT_DOUBLE_EQ(real_as_monc_reads("1e3"), static_cast<double>(1e-7F));
  EXPECT_DOUBLE_EQ(real_as_monc_reads("123456.78901234"), static_cast<double>(123456.7890F));
  EXPECT_EQ(real_as_monc_reads("abc"), 0.0);
  EXPECT_TRUE(monc_misreads("20"));
  EXPECT_FALSE(monc_misreads("20.0"));
  EXPECT_FALSE(monc_misreads("0"));
}

}  // namespace
}  // namespace tailrace::dialects::monc::testing
