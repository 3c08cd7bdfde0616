// User-defined operators with a state.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "analytics/testing/use.hpp"
#include "analytics/user/operator.hpp"
#include "base/error.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using user::Declaration;

using Body =
    std::function<void(std::span<const tailrace_array>, std::span<tailrace_state>, tailrace_array& output)>;

class Lambda final : public user::Function {
 public:
  explicit Lambda(Body body) : body_(std::move(body)) {}
  void call(std::span<const tailrace_array> inputs, std::span<tailrace_state> state,
            tailrace_array& output) const override {
    body_(inputs, state, output);
  }

 private:
  Body body_;
};

const Dims zyx = {{"z", 2, false}, {"y", 3, true}, {"x", 4, true}};

Declaration declared(std::vector<user::KeptArray> state) {
  Declaration declaration;
  declaration.name = declaration.function = "mine";
  declaration.location = {"run.yml", 5, 3};
  declaration.path = "./libmine.so";
  declaration.arguments.resize(1);
  declaration.state = std::move(state);
  return declaration;
}

user::KeptArray kept(const char* name, std::optional<std::vector<user::ResultDim>> dims = {},
                     double start = NAN) {
  return {name, {"run.yml", 9, 7}, std::move(dims), start};
}

std::shared_ptr<const Kernel> made(const Declaration& declaration, Body body) {
  return std::dynamic_pointer_cast<const Kernel>(
      user::make_operator(declaration, std::make_shared<Lambda>(std::move(body))));
}

const Body nothing = [](auto, auto, auto&) {};

TEST(UserState, FollowsFromTheDeclaration) {
  const auto kernel =
      made(declared({kept("last"), kept("past", {{{"lag", 5, {}}, {"y", 0, {}}, {"x", 0, {}}}})}), nothing);
  const Call call = call_of({zyx});
  EXPECT_EQ(kernel->memories(call),
            (std::vector<Memory>{{"last", model::DataType::float64, zyx},
                                 {"past", model::DataType::float64, {{"lag", 5, false}, zyx[1], zyx[2]}}}));
  EXPECT_THAT(kernel->needs_whole(call), ElementsAre("z"));  // which the state array `past` lacks
  EXPECT_THAT(made(declared({kept("last")}), nothing)->needs_whole(call), ElementsAre());
  EXPECT_THAT(made(declared({kept("steps", {{}})}), nothing)->needs_whole(call), ElementsAre("z", "y", "x"));
}

TEST(UserState, InvalidDeclarationsAreRejected) {
  Declaration declaration = declared({kept("a/b"), kept("last", {{{"levle", 0, {"run.yml", 9, 20}}}})});
  declaration.arguments = {{{{"level", {}}, {"x", {}}}}};
  config::Problems problems;
  user::check_declarations({declaration}, problems);
  EXPECT_THAT(problems.text(), HasSubstr("run.yml:9:7  operators.mine.state.a/b: the name of an array"));
  EXPECT_THAT(problems.text(),
              HasSubstr("run.yml:9:20  operators.mine.state.last.dims: no argument has a dimension "
                        "\"levle\"; a new one needs its extent: {levle: 10}. Did you mean \"level\"?"));
  const auto refusal = [&](std::vector<user::ResultDim> dims) -> std::string {
    try {
      made(declared({kept("last", dims)}), nothing)->infer(call_of({zyx}));
    } catch (const CallProblem& problem) {
      return problem.what();
    }
    return "none";
  };
  EXPECT_THAT(refusal({{"k", 0, {}}}),
              HasSubstr("the state \"last\" of mine is declared with the dimension"));
  EXPECT_THAT(refusal({{"x", 7, {}}}), HasSubstr("with 7 cells along \"x\", where the arguments have 4"));
}

// Counts calls and sums values; fails for negative values after changing a part of the state.
void add(std::span<const tailrace_array> inputs, std::span<tailrace_state> state, tailrace_array& output) {
  ASSERT_EQ(state.size(), 2U);
  EXPECT_STREQ(state[0].name, "sum");
  EXPECT_STREQ(state[1].name, "calls");
  const tailrace_array& sum = state[0].array;
  state[1].array.data[0] += 1;
  for (std::int64_t i = 0; i < inputs[0].count[0]; ++i) {
    if (inputs[0].data[i] < 0) throw Error(ErrorCode::configuration, "it is negative");
    sum.data[i] = (std::isnan(sum.data[i]) ? 0.0 : sum.data[i]) + inputs[0].data[i];
    output.data[i] = sum.data[i] + 100 * state[1].array.data[0];
  }
}

TEST(UserState, IsKeptFromCallToCallEvenAfterAFailure) {
  const auto kernel = made(declared({kept("sum"), kept("calls", {{{"one", 1, {}}}}, 3.0)}), add);
  const Dims x = {{"x", 2, false}};
  const auto run = kernel->start(call_of({x}));
  const auto values = [&](double first, double second) {
    const Array a = array_of(x, {first, second});
    return run->compute(std::vector{a.view()}).values;
  };
  expect_values(values(1, 2), {401, 402});
  EXPECT_THROW(values(5, -1), Error);
  expect_values(values(10, 20), {511, 522});
}

TEST(UserState, OfABlockHasTheRegionOfTheResult) {
  const model::Region block({{{0, 2}}, {{1, 2}}, {{0, 1}, {3, 1}}});
  std::string seen;
  const auto kernel = made(
      declared({kept("past", {{{"lag", 5, {}}, {"x", 0, {}}, {"y", 0, {}}, {"z", 0, {}}}}, -2.0)}),
      [&](auto, std::span<tailrace_state> state, auto&) {
        const tailrace_array& past = state[0].array;
        for (int d = 0; d < past.rank; ++d)
          seen += fmt::format("{} {}+{}/{} ", past.dims[d], past.offset[d], past.count[d], past.shape[d]);
        past.data[39] += 9;
      });
  const auto run = kernel->start(call_of({zyx}));
  const std::vector<double> values(8, 1.5);
  const ConstArray argument{&block, values};
  run->compute(std::span(&argument, 1));
  EXPECT_EQ(seen, "lag 0+5/5 x -1+2/4 y 1+2/3 z 0+2/2 ");
  const auto memories = run->memories(block);
  ASSERT_EQ(memories[0].size(), 40 * sizeof(double));
  double first = 0, last = 0;
  std::memcpy(&first, memories[0].data(), sizeof first);
  std::memcpy(&last, memories[0].data() + 39 * sizeof last, sizeof last);
  EXPECT_EQ(first, -2.0);
  EXPECT_EQ(last, 7.0);
}

}  // namespace
}  // namespace tailrace::analytics
