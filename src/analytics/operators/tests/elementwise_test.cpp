// The scalar reference of each opcode gives NumPy's results.
#include "analytics/operators/elementwise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "analytics/opcodes.hpp"

namespace tailrace::analytics {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

struct Case {
  Opcode opcode;
  double a, b, c, expected;
};

// Results of numpy 1.24: np.sign(-2.5), np.round(2.5), np.fmod(-7, 3), np.minimum(nan, 1), ...
const Case cases[] = {
    {Opcode::neg, 2, 0, 0, -2},
    {Opcode::abs, -inf, 0, 0, inf},
    {Opcode::sign, -2.5, 0, 0, -1},
    {Opcode::sign, -0.0, 0, 0, 0},
    {Opcode::sign, nan, 0, 0, nan},
    {Opcode::sqrt, 2, 0, 0, 1.4142135623730951},
    {Opcode::sqrt, -1, 0, 0, nan},
    {Opcode::cbrt, -27, 0, 0, -3},
    {Opcode::square, -3, 0, 0, 9},
    {Opcode::exp, 1, 0, 0, 2.718281828459045},
    {Opcode::expm1, 1e-10, 0, 0, 1.00000000005e-10},
    {Opcode::log, 0, 0, 0, -inf},
    {Opcode::log, -1, 0, 0, nan},
    {Opcode::log10, 1000, 0, 0, 3},
    {Opcode::log2, 8, 0, 0, 3},
    {Opcode::log1p, 1e-10, 0, 0, 9.9999999995e-11},
    {Opcode::sin, 1, 0, 0, 0.8414709848078965},
    {Opcode::cos, 1, 0, 0, 0.5403023058681398},
    {Opcode::tan, 1, 0, 0, 1.5574077246549023},
    {Opcode::asin, 1, 0, 0, 1.5707963267948966},
    {Opcode::acos, 2, 0, 0, nan},
    {Opcode::atan, inf, 0, 0, 1.5707963267948966},
    {Opcode::sinh, 1, 0, 0, 1.1752011936438014},
    {Opcode::cosh, 1, 0, 0, 1.5430806348152437},
    {Opcode::tanh, 1, 0, 0, 0.7615941559557649},
    {Opcode::floor, -1.5, 0, 0, -2},
    {Opcode::ceil, -1.5, 0, 0, -1},
    {Opcode::round, 2.5, 0, 0, 2},
    {Opcode::round, 3.5, 0, 0, 4},
    {Opcode::round, -0.5, 0, 0, 0},
    {Opcode::trunc, -1.5, 0, 0, -1},
    {Opcode::logical_not, 0, 0, 0, 1},
    {Opcode::logical_not, nan, 0, 0, 0},
    {Opcode::isnan, nan, 0, 0, 1},
    {Opcode::isnan, inf, 0, 0, 0},
    {Opcode::isfinite, inf, 0, 0, 0},
    {Opcode::isfinite, 1, 0, 0, 1},
    {Opcode::add, 1, 2, 0, 3},
    {Opcode::sub, 1, 2, 0, -1},
    {Opcode::mul, 3, 2, 0, 6},
    {Opcode::div, 1, 0, 0, inf},
    {Opcode::div, 0, 0, 0, nan},
    {Opcode::mod, -7, 3, 0, -1},
    {Opcode::mod, 7, -3, 0, 1},
    {Opcode::mod, 1, 0, 0, nan},
    {Opcode::pow, 2, 10, 0, 1024},
    {Opcode::pow, -8, 1.0 / 3, 0, nan},
    {Opcode::pow, nan, 0, 0, 1},
    {Opcode::atan2, -1, -1, 0, -2.356194490192345},
    {Opcode::hypot, 3, 4, 0, 5},
    {Opcode::minimum, 1, 2, 0, 1},
    {Opcode::minimum, nan, 2, 0, nan},
    {Opcode::minimum, 2, nan, 0, nan},
    {Opcode::maximum, 1, 2, 0, 2},
    {Opcode::maximum, 1, nan, 0, nan},
    {Opcode::lt, 1, 2, 0, 1},
    {Opcode::lt, nan, 2, 0, 0},
    {Opcode::le, 2, 2, 0, 1},
    {Opcode::gt, 1, 2, 0, 0},
    {Opcode::ge, 2, 2, 0, 1},
    {Opcode::eq, nan, nan, 0, 0},
    {Opcode::eq, 0.0, -0.0, 0, 1},
    {Opcode::ne, nan, nan, 0, 1},
    {Opcode::logical_and, nan, 1, 0, 1},
    {Opcode::logical_and, 0, 1, 0, 0},
    {Opcode::logical_or, 0, 0, 0, 0},
    {Opcode::logical_or, 0, nan, 0, 1},
    {Opcode::where, 1, 5, 6, 5},
    {Opcode::where, 0, 5, 6, 6},
    {Opcode::where, nan, 5, 6, 5},
    {Opcode::clip, 7, 0, 5, 5},
    {Opcode::clip, -7, 0, 5, 0},
    {Opcode::clip, nan, 0, 5, nan},
};

TEST(Opcodes, GiveWhatNumpyGives) {
  for (const Case& one : cases) {
    const double result = evaluate(one.opcode, one.a, one.b, one.c);
    if (std::isnan(one.expected))
      EXPECT_TRUE(std::isnan(result)) << traits_of(one.opcode).name;
    else
      EXPECT_DOUBLE_EQ(result, one.expected)
          << traits_of(one.opcode).name << " of " << one.a << ", " << one.b;
  }
}

TEST(Opcodes, AreAllTestedAndRegistered) {
  std::set<Opcode> tested;
  for (const Case& one : cases) tested.insert(one.opcode);
  EXPECT_EQ(tested.size(), opcode_count);
  for (const OpcodeTraits& traits : opcode_traits) {
    const auto* op = dynamic_cast<const ElementwiseOperator*>(find_operator(std::string(traits.name)));
    ASSERT_NE(op, nullptr) << traits.name;
    EXPECT_EQ(op->opcode(), static_cast<int>(traits.opcode));
    EXPECT_FALSE(op->doc().description.empty());
    EXPECT_NE(op->doc().signature.find(traits.name == "neg" ? "-" : traits.name), std::string::npos);
  }
  EXPECT_EQ(find_operator("arctan2"), find_operator("atan2"));
  EXPECT_EQ(find_operator("nothing"), nullptr);
}

Shape shape(std::vector<std::pair<std::string, std::int64_t>> dims, const std::string& units = "1") {
  Shape made{{}, units};
  for (auto& [name, extent] : dims) made.dims.push_back({name, extent, false});
  return made;
}

std::string names(const Dims& dims) {
  std::string text;
  for (const Dim& dim : dims) text += dim.name;
  return text;
}

TEST(Broadcast, FollowsTheNamesOfDimensions) {
  const Shape zyx = shape({{"z", 2}, {"y", 3}, {"x", 4}});
  EXPECT_EQ(names(broadcast({zyx, shape({{"z", 2}})})), "zyx");
  EXPECT_EQ(names(broadcast({shape({{"x", 4}}), zyx})), "zyx");
  EXPECT_EQ(names(broadcast({shape({{"z", 2}}), shape({{"y", 3}, {"x", 4}})})), "zyx");
  EXPECT_EQ(names(broadcast({zyx, shape({{"t", 5}, {"z", 2}})})), "tzyx");
  EXPECT_EQ(names(broadcast({zyx, shape({{"z", 2}, {"k", 5}})})), "zkyx");
  EXPECT_EQ(names(broadcast({shape({{"y", 3}, {"x", 4}}), shape({{"x", 4}, {"y", 3}})})), "yx");
  EXPECT_EQ(names(broadcast({shape({}), shape({})})), "");
  EXPECT_THROW(broadcast({zyx, shape({{"x", 5}})}), CallProblem);
}

TEST(Broadcast, IsSplitWhereOneArgumentIs) {
  const Shape whole{{{"y", 3, false}}, "1"};
  const Shape split{{{"y", 3, true}}, "1"};
  EXPECT_TRUE(broadcast({whole, split})[0].split);
  EXPECT_FALSE(broadcast({whole, whole})[0].split);
}

TEST(Elementwise, InfersOnlyWhatNeedsNoConversion) {
  const auto infer = [](Opcode opcode, std::vector<Shape> arguments) {
    Call call;
    call.arguments = std::move(arguments);
    return elementwise(opcode).infer(call);
  };
  EXPECT_EQ(infer(Opcode::mul, {shape({}, "W m-2"), shape({}, "s")}).units, "W m-2 s");
  EXPECT_EQ(infer(Opcode::lt, {shape({}, "m"), shape({}, "m")}).units, "1");
  EXPECT_THROW(infer(Opcode::add, {shape({}, "hPa"), shape({}, "Pa")}), CallProblem);
  EXPECT_THROW(infer(Opcode::exp, {shape({}, "%")}), CallProblem);
  EXPECT_THROW(infer(Opcode::sqrt, {}), CallProblem);
}

}  // namespace
}  // namespace tailrace::analytics
