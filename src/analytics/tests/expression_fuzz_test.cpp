// For any text in a configuration, the compiler gives either a consistent graph or problems that point into
// the text. TAILRACE_FUZZ_ROUNDS sets the number of texts of each kind.
#include "analytics/tests/expression_fuzz.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "analytics/tests/compile_scope.hpp"
#include "base/index.hpp"
#include "units/unit_system.hpp"

namespace tailrace::analytics {
namespace {

using testing::Fuzz;

int rounds() {
  const char* asked = std::getenv("TAILRACE_FUZZ_ROUNDS");
  return asked == nullptr ? 3000 : std::atoi(asked);
}

// Each node follows its arguments and has the shape that infer() gives for them.
void expect_sound(const Graph& graph, const std::string& text) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    ASSERT_EQ(node.args.size(), node.call.arguments.size()) << text;
    for (std::size_t k = 0; k < node.args.size(); ++k) {
      ASSERT_LT(node.args[k], static_cast<int>(i)) << text;
      const Dims& dims = graph.nodes[base::index(node.args[k])].shape.dims;
      ASSERT_EQ(node.call.arguments[k].dims, dims) << text;
      if (node.kind != NodeKind::elementwise) continue;
      for (const Dim& dim : dims) ASSERT_TRUE(node.shape.find(dim.name)) << text;
    }
    if (node.kind == NodeKind::reduction || node.kind == NodeKind::kernel) {
      ASSERT_EQ(node.op->infer(node.call).dims, node.shape.dims) << text;
    }
  }
  for (const Diagnostic& diagnostic : graph.diagnostics) {
    ASSERT_LT(diagnostic.node, static_cast<int>(graph.nodes.size())) << text;
    ASSERT_FALSE(diagnostic.inputs.empty()) << text;
  }
}

// Every line begins with a place in one of the texts, which all begin in line 3, column 10.
void expect_places(const std::string& problems, std::size_t longest, const std::string& text) {
  std::istringstream lines(problems);
  for (std::string line; std::getline(lines, line);) {
    ASSERT_TRUE(line.starts_with("run.yml:")) << text << "\n" << line;
    int row = 0;
    int column = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "run.yml:%d:%d", &row, &column), 2) << line;
    ASSERT_GE(row, 3) << line;
    ASSERT_GE(column, 10) << line;
    ASSERT_LE(column, 10 + static_cast<int>(longest)) << text << "\n" << line;
  }
}

void try_one(Fuzz& fuzz, const std::string& text) {
  const std::vector<DiagnosticSource> sources{
      testing::source("d", text, fuzz.below(3) == 0 ? fuzz.units() : "", fuzz.below(2) == 0),
      testing::source("d0", "mean(w, y, x)"), testing::source("d1", "d * 2", "", fuzz.below(2) == 0)};
  const auto outcome = testing::compile_all(sources);
  const std::size_t longest = std::max<std::size_t>(text.size(), 13);
  expect_places(outcome.problems, longest, text);
  expect_sound(outcome.compiled.graph, text);
  const bool done = outcome.problems.empty() && outcome.compiled.warnings.empty();
  if (done) {
    ASSERT_EQ(outcome.compiled.graph.diagnostics.size(), sources.size()) << text;
  }
}

TEST(ExpressionFuzz, RandomBytes) {
  Fuzz fuzz(1);
  for (int i = 0; i < rounds() && !HasFatalFailure(); ++i) try_one(fuzz, fuzz.bytes());
}

TEST(ExpressionFuzz, WordsInAnyOrder) {
  Fuzz fuzz(2);
  for (int i = 0; i < rounds() && !HasFatalFailure(); ++i) try_one(fuzz, fuzz.words());
}

TEST(ExpressionFuzz, ExpressionsWithWrongNamesAndUnits) {
  Fuzz fuzz(3);
  for (int i = 0; i < rounds() && !HasFatalFailure(); ++i)
    try_one(fuzz, fuzz.expression(1 + static_cast<int>(fuzz.below(4))));
}

TEST(ExpressionFuzz, DamagedExpressions) {
  Fuzz fuzz(4);
  for (int i = 0; i < rounds() && !HasFatalFailure(); ++i) try_one(fuzz, fuzz.damaged(fuzz.expression(3)));
}

TEST(ExpressionFuzz, UnitsOfAnyText) {
  Fuzz fuzz(5);
  const units::UnitSystem& system = units::unit_system();
  for (int i = 0; i < rounds(); ++i) {
    const std::string a = fuzz.below(4) == 0 ? fuzz.damaged(fuzz.units()) : fuzz.units();
    const std::string b = fuzz.units();
    const auto product = system.product(a, b);
    if (product) {
      ASSERT_TRUE(system.knows(*product)) << a << " times " << b << " = " << *product;
    }
    const auto square = system.power(a, 2);
    if (square) {
      ASSERT_TRUE(system.knows(*square)) << a << " squared = " << *square;
    }
  }
}

// A random expression of numbers with as few parentheses as the grammar needs, and its value.
struct Known {
  std::string text;
  double value;
  int strength;  // the lowest precedence in the text, as in the guide's table
};

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : fuzz_(seed) {}

  Known make(int depth) {
    if (depth == 0 || fuzz_.below(5) == 0) {
      const auto number = static_cast<double>(fuzz_.below(9)) / 2;
      return {fmt::format("{}", number), number, 9};
    }
    switch (fuzz_.below(13)) {
      case 0: return binary(depth, " or ", 1, [](double a, double b) { return double(a != 0 || b != 0); });
      case 1: return binary(depth, " and ", 2, [](double a, double b) { return double(a != 0 && b != 0); });
      case 2: return unary(depth, "not ", 3, [](double a) { return double(a == 0); });
      case 3: return compare(depth, " < ", [](double a, double b) { return double(a < b); });
      case 4: return compare(depth, " >= ", [](double a, double b) { return double(a >= b); });
      case 5: return compare(depth, " != ", [](double a, double b) { return double(a != b); });
      case 6: return binary(depth, " + ", 5, [](double a, double b) { return a + b; });
      case 7: return binary(depth, " - ", 5, [](double a, double b) { return a - b; });
      case 8: return binary(depth, "*", 6, [](double a, double b) { return a * b; });
      case 9: return binary(depth, "/", 6, [](double a, double b) { return a / b; });
      case 10: return binary(depth, " % ", 6, [](double a, double b) { return std::fmod(a, b); });
      case 11: return unary(depth, "-", 7, [](double a) { return -a; });
      default: return power(depth);
    }
  }

 private:
  static std::string within(const Known& part, int least) {
    return part.strength >= least ? part.text : "(" + part.text + ")";
  }
  template <class Function>
  Known binary(int depth, const std::string& sign, int strength, Function f) {
    const Known a = make(depth - 1);
    const Known b = make(depth - 1);
    return {within(a, strength) + sign + within(b, strength + 1), f(a.value, b.value), strength};
  }
  template <class Function>
  Known compare(int depth, const std::string& sign, Function f) {
    const Known a = make(depth - 1);
    const Known b = make(depth - 1);
    return {within(a, 5) + sign + within(b, 5), f(a.value, b.value), 4};
  }
  template <class Function>
  Known unary(int depth, const std::string& sign, int strength, Function f) {
    const Known a = make(depth - 1);
    return {sign + within(a, strength), f(a.value), strength};
  }
  Known power(int depth) {
    const Known a = make(depth - 1);
    const Known b = make(depth - 1);
    return {within(a, 9) + " ** " + within(b, 7), std::pow(a.value, b.value), 8};
  }

  Fuzz fuzz_;
};

TEST(ExpressionFuzz, NumbersHaveTheValueThatTheGrammarSays) {
  Numbers numbers(6);
  for (int i = 0; i < rounds(); ++i) {
    const Known known = numbers.make(5);
    const auto outcome = testing::compiled("dt + (" + known.text + ")");
    ASSERT_EQ(outcome.problems, "") << known.text;
    double found = std::nan("");
    for (const Node& node : outcome.compiled.graph.nodes)
      if (node.kind == NodeKind::constant) found = node.constant;
    if (std::isnan(known.value))
      ASSERT_TRUE(std::isnan(found)) << known.text << " = " << found;
    else
      ASSERT_EQ(found, known.value) << known.text;
  }
}

}  // namespace
}  // namespace tailrace::analytics
