// User-defined operators: checks of declarations, the arguments of a function, and its results.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <thread>

#include "analytics/testing/use.hpp"
#include "analytics/tests/compile_scope.hpp"
#include "analytics/user/operator.hpp"
#include "base/error.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using user::Declaration;
using user::NamedDim;

class Lambda final : public user::Function {
 public:
  using Body = std::function<void(std::span<const tailrace_array>, tailrace_array&)>;
  explicit Lambda(Body body) : body_(std::move(body)) {}
  void call(std::span<const tailrace_array> inputs, std::span<tailrace_state> /*state*/,
            tailrace_array& output) const override {
    body_(inputs, output);
  }

 private:
  Body body_;
};

std::vector<NamedDim> named(std::initializer_list<const char*> names) {
  std::vector<NamedDim> dims;
  for (const char* name : names) dims.push_back({name, {"run.yml", 7, static_cast<int>(dims.size()) + 1}});
  return dims;
}

Declaration declared(std::size_t arguments = 1) {
  Declaration declaration;
  declaration.name = declaration.function = "mine";
  declaration.location = {"run.yml", 5, 3};
  declaration.path = "./libmine.so";
  declaration.arguments.resize(arguments);
  return declaration;
}

std::string problems_of(const Declaration& declaration) {
  config::Problems problems;
  user::check_declarations({declaration}, problems);
  return problems.text();
}

const Dims zyx = {{"z", 2, false}, {"y", 3, true}, {"x", 4, true}};
const Dims yx = {{"y", 3, true}, {"x", 4, true}};

std::shared_ptr<const Kernel> made(const Declaration& declaration, Lambda::Body body) {
  return std::dynamic_pointer_cast<const Kernel>(
      user::make_operator(declaration, std::make_shared<Lambda>(std::move(body))));
}

std::string refusal_of(const Declaration& declaration, const Call& call) {
  try {
    made(declaration, [](auto, auto&) {})->infer(call);
  } catch (const CallProblem& problem) {
    return fmt::format("{}: {}", problem.argument, problem.what());
  }
  return "none";
}

TEST(UserDeclaration, NamesMustBeValidAndUnused) {
  Declaration declaration = declared();
  EXPECT_EQ(problems_of(declaration), "");
  declaration.name = "mean";
  EXPECT_THAT(problems_of(declaration), HasSubstr("run.yml:5:3  operators.mean: \"mean\" is built in"));
  declaration.name = "pi";
  EXPECT_THAT(problems_of(declaration), HasSubstr("\"pi\" is built in"));
  for (const char* name : {"2nd", "a-b", "a.b", "a b"}) {
    declaration.name = name;
    EXPECT_THAT(problems_of(declaration), HasSubstr("consists of letters, digits and _")) << name;
  }
}

TEST(UserDeclaration, DimensionsMustBeThoseOfArguments) {
  Declaration declaration = declared();
  declaration.arguments = {named({"level", "y", "x"})};
  declaration.needs_whole = named({"x", "levle"});
  EXPECT_THAT(problems_of(declaration),
              HasSubstr("run.yml:7:2  operators.mine.needs_whole: no argument has a dimension \"levle\". Did "
                        "you mean \"level\"? (known: level, x, y)"));
  declaration.needs_whole = {};
  declaration.result = {{"bin", 0, {"run.yml", 8, 1}}, {"y", 0, {}}, {"y", 0, {"run.yml", 8, 9}}};
  const std::string said = problems_of(declaration);
  EXPECT_THAT(said,
              HasSubstr("run.yml:8:1  operators.mine.result.dims: no argument has a dimension \"bin\"; a "
                        "new one needs its extent: {bin: 10}. (known: level, x, y)"));
  EXPECT_THAT(said, HasSubstr("run.yml:8:9  operators.mine.result.dims: the dimension \"y\" is named twice"));
  declaration.arguments.emplace_back();  // which accepts any dimensions
  declaration.result = {{"bin", 0, {}}};
  EXPECT_EQ(problems_of(declaration), "");
}

TEST(UserDeclaration, UnitsMustBeKnown) {
  Declaration declaration = declared();
  declaration.units = "bananas";
  EXPECT_THAT(problems_of(declaration),
              HasSubstr("operators.mine.result.units: UDUNITS does not know the units"));
}

TEST(UserDeclaration, FilesMustExist) {
  config::Problems problems;
  std::vector<Declaration> both{declared(), declared()};
  both[0].file_location = {"run.yml", 5, 20};
  both[1].python = true;
  both[1].path = "./gone.py";
  EXPECT_TRUE(user::make_operators(both, problems).empty());
  EXPECT_THAT(problems.text(),
              HasSubstr("run.yml:5:20  operators.mine.library: the library cannot be loaded"));
  EXPECT_THAT(problems.text(), HasSubstr("operators.mine.python: there is no file ./gone.py"));
}

TEST(UserOperator, ShapesFollowFromTheDeclaration) {
  Declaration declaration = declared(2);
  const auto shape = [&](const std::vector<Dims>& arguments) {
    return made(declaration, [](auto, auto&) {})->infer(call_of(arguments));
  };
  EXPECT_EQ(shape({zyx, yx}).dims, zyx);
  EXPECT_EQ(shape({zyx, yx}).units, std::nullopt);
  declaration.units = "same";
  declaration.result = {{"x", 0, {}}, {"bin", 5, {}}};
  EXPECT_EQ(shape({zyx, yx}).dims, (Dims{{"x", 4, true}, {"bin", 5, false}}));
  EXPECT_EQ(shape({zyx, yx}).units, "K");
  declaration.needs_whole = named({"x"});
  EXPECT_EQ(shape({zyx, yx}).dims, (Dims{{"x", 4, false}, {"bin", 5, false}}));
}

TEST(UserOperator, NeedsRemovedDimensionsWhole) {
  Declaration declaration = declared();
  const auto whole = [&] { return made(declaration, [](auto, auto&) {})->needs_whole(call_of({zyx})); };
  EXPECT_THAT(whole(), ElementsAre());
  declaration.result = {{"y", 0, {}}};
  EXPECT_THAT(whole(), ElementsAre("z", "x"));
  declaration.result.reset();
  declaration.needs_whole = named({"y"});
  EXPECT_THAT(whole(), ElementsAre("y"));
  declaration.needs_all = true;
  EXPECT_THAT(whole(), ElementsAre("z", "y", "x"));
}

TEST(UserOperator, InvalidCallsAreRejected) {
  Declaration declaration = declared();
  EXPECT_THAT(refusal_of(declaration, call_of({zyx, zyx})), HasSubstr("takes 1 argument, not 2"));
  EXPECT_THAT(refusal_of(declaration, call_of({zyx}, {}, {{"q", 1.0}})),
              HasSubstr("parameter \"q\" is unknown"));
  declaration.arguments = {named({"y", "x"})};
  EXPECT_EQ(refusal_of(declaration, call_of({zyx})),
            "0: argument 1 of mine is declared with the dimensions (y, x), but this has (z, y, x)");
  declaration = declared(2);
  EXPECT_EQ(refusal_of(declaration, call_of({zyx, {{"x", 9, true}}})),
            "1: its dimension \"x\" has 9 cells, but 4 in a previous argument");
  declaration = declared();
  declaration.needs_whole = named({"k"});
  EXPECT_EQ(refusal_of(declaration, call_of({zyx})),
            "-1: mine needs the dimension \"k\" whole (needs_whole), which no argument has");
  declaration.needs_whole = {};
  declaration.result = {{"k", 0, {}}};
  EXPECT_THAT(refusal_of(declaration, call_of({zyx})), HasSubstr("declared with the dimension \"k\""));
  declaration.result = {{"x", 5, {}}};
  EXPECT_THAT(refusal_of(declaration, call_of({zyx})),
              HasSubstr("5 cells along \"x\", where the arguments have 4"));
  EXPECT_THAT(refusal_of(declared(), call_of({Dims(9, {"d", 1, false})})),
              HasSubstr("9 dimensions are more than"));
}

TEST(UserOperator, BlocksHaveTheirPosition) {
  const model::Region block({{{0, 2}}, {{1, 2}}, {{0, 1}, {3, 1}}});
  std::vector<double> values(8, 1.5);
  std::string seen;
  const auto kernel = made(declared(), [&](std::span<const tailrace_array> inputs, tailrace_array& output) {
    const tailrace_array& in = inputs[0];
    EXPECT_EQ(in.data, values.data());  // no copy
    EXPECT_EQ(output.rank, 3);
    for (int d = 0; d < in.rank; ++d)
      seen += fmt::format("{} {}+{}/{} ", in.dims[d], in.offset[d], in.count[d], in.shape[d]);
    output.data[7] = 3.0;
  });
  const ConstArray argument{&block, values};
  const Array result = kernel->start(call_of({zyx}))->compute(std::span(&argument, 1));
  EXPECT_EQ(seen, "z 0+2/2 y 1+2/3 x -1+2/4 ");
  EXPECT_EQ(result.region, block);
  expect_values(result.values,
                {NAN, NAN, NAN, NAN, NAN, NAN, NAN, 3.0});  // cells that are not set are missing
}

TEST(UserOperator, IsNotCalledForEmptyBlocks) {
  const model::Region nothing({{{0, 2}}, {{0, 0}}, {{0, 0}}});
  const auto kernel = made(declared(), [](auto, auto&) { FAIL(); });
  const ConstArray argument{&nothing, {}};
  EXPECT_TRUE(kernel->start(call_of({zyx}))->compute(std::span(&argument, 1)).values.empty());
}

int most_at_once(bool thread_safe) {
  Declaration declaration = declared();
  declaration.thread_safe = thread_safe;
  std::atomic<int> inside = 0, most = 0;
  const auto kernel = made(declaration, [&](auto, auto&) {
    const int now = ++inside;
    for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
    }
    for (int i = 0; i < 100 && inside < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --inside;
  });
  const Array all = array_of(yx, std::vector<double>(12));
  const auto call = [&] {
    const ConstArray argument = all.view();
    kernel->start(call_of({yx}))->compute(std::span(&argument, 1));
  };
  std::thread other(call);
  call();
  other.join();
  return most;
}

TEST(UserOperator, CallsAreSerialUnlessDeclaredThreadSafe) {
  EXPECT_EQ(most_at_once(false), 1);
  EXPECT_EQ(most_at_once(true), 2);
}

TEST(UserOperator, ExpressionsCallIt) {
  Scope scope = small_scope();
  Declaration declaration = declared(2);
  declaration.units = "m";
  scope.operators = {{"mine", made(declaration, [](auto, auto&) {})}};
  EXPECT_EQ(compiled("mean(mine(w, th), y, x) + z", "", scope).text(), "((sum(mine(w, th), y, x) / 48) + z)");
  EXPECT_EQ(compiled("mine(w, th)", "", scope).units(), "m");
  EXPECT_THAT(compiled("mnie(w, th)", "", scope).problems, HasSubstr("Did you mean \"mine\"?"));
  EXPECT_THAT(compiled("mine(w)", "", scope).problems, HasSubstr("takes 2 arguments, not 1"));
  // If an operator takes only arrays, a name is an array even if it is also a dimension.
  EXPECT_EQ(compiled("mine(w, z)", "", scope).text(), "mine(w, z)");
  EXPECT_THAT(compiled("mine(w, x)", "", scope).problems, HasSubstr("\"x\" is a dimension"));
}

}  // namespace
}  // namespace tailrace::analytics
