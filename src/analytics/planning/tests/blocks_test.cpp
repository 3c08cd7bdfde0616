// The blocks of nodes, and that nodes with the same decomposition share it.
#include "analytics/planning/blocks.hpp"

#include <gmock/gmock.h>

#include "analytics/tests/compile_scope.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::planning {
namespace {

using ::testing::HasSubstr;

model::Regions halves(std::int64_t first, std::int64_t second) {
  return {model::Region::of_box({{0, 0}, {6, first}}), model::Region::of_box({{0, first}, {6, second}})};
}

// Two ranks share x of the fields a and b (y, x) and of the row r (x); c has another decomposition; the first
// rank has no cells of n and m: the extent of y or x is 0.
struct Case {
  Scope scope;
  std::vector<EngineInput> inputs;
  Graph graph;

  explicit Case(const std::vector<std::string>& texts) {
    const Dim y{"y", 6, false}, x{"x", 8, true};
    add("a", {y, x}, halves(3, 5));
    add("b", {y, x}, halves(3, 5));
    add("r", {x}, {model::Region::of_box({{0}, {3}}), model::Region::of_box({{3}, {5}})});
    add("c", {y, x}, halves(4, 4));
    const model::Region all = model::Region::of_box({{0, 0}, {6, 8}});
    add("n", {y, x}, {model::Region::of_box({{0, 0}, {0, 3}}), all});
    add("m", {y, x}, {model::Region::of_box({{0, 0}, {6, 0}}), all});
    std::vector<DiagnosticSource> sources;
    for (std::size_t i = 0; i < texts.size(); ++i)
      sources.push_back(analytics::testing::source("d" + std::to_string(i), texts[i]));
    config::Problems problems;
    graph = compile(sources, scope, problems).graph;
    EXPECT_TRUE(problems.empty());
  }

  void add(const char* name, Dims dims, model::Regions regions) {
    scope.inputs.push_back({name, {std::move(dims), "m"}});
    inputs.push_back({Place::local, std::move(regions), {}});
  }

  Blocks blocks() const {
    const std::vector<Place> places(inputs.size(), Place::local);
    return find_blocks(graph, make_placement(graph, places, 1, 0), inputs);
  }
  int node(std::size_t diagnostic) const { return graph.diagnostics[diagnostic].node; }
};

TEST(Blocks, are_stored_once_for_each_decomposition) {
  const Case with({"a * 2 + b", "max(a + b, y)", "r + 1", "a + r", "sum(a)"});
  const Blocks blocks = with.blocks();
  EXPECT_EQ(blocks.cuts.size(), 2u) << "(y, x) and (x)";
  EXPECT_TRUE(blocks.of(with.node(0)).shares_list(with.inputs[0].regions));
  EXPECT_EQ(blocks.of(with.node(1)), with.inputs[2].regions) << "y was consumed";
  EXPECT_TRUE(blocks.of(with.node(2)).shares_list(blocks.of(with.node(1))));
  EXPECT_EQ(blocks.of(with.node(3)), with.inputs[0].regions);
  EXPECT_EQ(blocks.cut[base::index(with.node(4))], -1) << "whole";
}

TEST(Blocks, of_a_rank_without_cells_are_empty_in_the_same_dimension) {
  const Case with({"n + m"});
  const model::Regions regions = with.blocks().of(with.node(0));
  EXPECT_EQ(regions[0].size(), 0);
  EXPECT_EQ(regions[1], with.inputs[4].regions[1]);
}

TEST(Blocks, that_are_combined_must_have_cells_on_the_same_ranks) {
  const Case with({"n * a"});
  try {
    with.blocks();
    FAIL() << "accepted n, of which the first rank has no cell";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    EXPECT_THAT(error.what(),
                HasSubstr("\"a\" and \"n\" are combined in an expression, but rank 0 holds cells of "
                          "the first and none of the second"));
  }
}

TEST(Blocks, that_are_combined_must_have_the_same_decomposition) {
  const Case with({"a - b", "a - c"});
  try {
    with.blocks();
    FAIL() << "accepted c, which has another decomposition";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    EXPECT_THAT(error.what(),
                HasSubstr("\"a\" and \"c\" are combined in an expression, but a rank holds different "
                          "parts of their dimension \"x\""));
  }
}

}  // namespace
}  // namespace tailrace::analytics::planning
