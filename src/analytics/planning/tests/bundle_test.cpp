// Tests the choice of the diagnostics that are bundled.
#include "analytics/planning/bundle.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analytics/planning/schedule.hpp"
#include "analytics/tests/compile_scope.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::planning {
namespace {

struct Bundling {
  Compiled compiled;
  Placement placement;
  Bundled bundled;

  // The number of members in the bundle of a diagnostic.
  std::size_t beside(const std::string& name) const {
    for (const Diagnostic& diagnostic : compiled.graph.diagnostics)
      if (diagnostic.name == name) return bundled.members[base::index(position(diagnostic.node).node)].size();
    throw std::runtime_error(name);
  }
  Bundled::Position position(int node) const { return bundled.positions[base::index(node)]; }
};

constexpr int fields = 4;

Bundling bundling(const std::vector<std::pair<std::string, std::string>>& texts, std::int64_t cells = 10,
                  const std::vector<char>& due = {}) {
  Scope scope;
  for (int i = 0; i < fields; ++i) {
    scope.inputs.push_back({fmt::format("p{}", i), {{{"rank", 4, true}, {"level", 5, false}}, "K"}});
    scope.inputs.push_back({fmt::format("b{}", i), {{{"y", 6, true}, {"x", 8, true}}, "m"}});
  }
  scope.inputs.push_back({"other", {{{"rank", 4, true}, {"level", 7, false}}, "K"}});
  std::vector<Place> places(scope.inputs.size(), Place::local);
  scope.inputs.push_back({"level", {{{"level", 5, false}}, "m"}});
  places.push_back(Place::known);
  std::vector<DiagnosticSource> sources;
  for (const auto& [name, text] : texts) sources.push_back(testing::source(name, text));
  config::Problems problems;
  Bundling made;
  made.compiled = compile(sources, scope, problems);
  EXPECT_TRUE(problems.empty());
  const Graph& graph = made.compiled.graph;
  made.placement = make_placement(graph, places, 1, 0);
  made.placement.cut.assign(graph.nodes.size(), 0);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    made.placement.cut[n] = graph.nodes[n].shape.find("x") ? 1 : 0;
  made.bundled = bundle(graph, made.placement, std::vector<std::int64_t>(graph.nodes.size(), cells),
                        due.empty() ? std::vector<char>(texts.size(), 1) : due);
  return made;
}

TEST(Bundle, DiagnosticsOfTheSameFormAreBundled) {
  const auto made =
      bundling({{"a", "sum(p0, rank) / 4"}, {"b", "sum(p1, rank) / 4"}, {"c", "sum(p2, rank) / 4"}});
  EXPECT_EQ(made.beside("a"), 3u);
  // One node each for the constant, the inputs, their sums and the quotients.
  ASSERT_EQ(made.bundled.graph.nodes.size(), 4u);
  const Node& sum = made.bundled.graph.nodes[2];
  EXPECT_EQ(sum.call.dims, std::vector<std::string>{"rank"});
  ASSERT_EQ(sum.shape.dims.size(), 2u);
  EXPECT_EQ(sum.shape.dims[0].extent, 3);
  EXPECT_EQ(sum.shape.dims[1].name, "level");
  const auto& diagnostics = made.compiled.graph.diagnostics;
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(made.position(diagnostics[base::index(d)].node).member, d);
    EXPECT_EQ(made.position(diagnostics[base::index(d)].node).node, 3);
  }
}

TEST(Bundle, AReductionWithoutDimensionsNamesThemInABundle) {
  const auto made = bundling({{"a", "max(b0)"}, {"b", "max(b1)"}});
  ASSERT_EQ(made.beside("a"), 2u);
  EXPECT_EQ(made.bundled.graph.nodes.back().call.dims, (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(made.bundled.graph.nodes.back().shape.dims.size(), 1u);
}

TEST(Bundle, DifferentOnesAreNotBundled) {
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"sum(p0, rank) / 4", "sum(p1, rank) / 5"},          // a constant
           {"sum(p0, rank)", "min(p1, rank)"},                  // an operator
           {"sum(p0, rank)", "sum(p1)"},                        // dimensions
           {"sum(p0, rank)", "sum(p1, rank, skip_missing=1)"},  // a parameter
           {"sum(p0, rank)", "sum(other, rank)"},               // an extent
           {"sum(p0, rank) - sum(p1, rank)", "sum(p2, rank) - sum(p2, rank) * 2"},
           {"quantile(b0, q=0.5)", "quantile(b1, q=0.5)"},  // kernels need whole arrays
       })
    EXPECT_EQ(bundling({{"a", one}, {"b", other}}).beside("a"), 1u) << one << " and " << other;
}

TEST(Bundle, ASharedFieldKeepsItsDiagnosticsTogether) {
  const auto made = bundling({{"a", "sum(p0, rank)"},
                              {"b", "sum(p1, rank)"},
                              {"of_a", "max(p0, rank) + a"},
                              {"c", "sum(p2, rank)"}});
  EXPECT_EQ(made.beside("a"), 1u);
  EXPECT_EQ(made.beside("b"), 2u);
  EXPECT_EQ(made.beside("c"), 2u);
}

TEST(Bundle, LargeBlocksAreNotBundled) {
  EXPECT_EQ(bundling({{"a", "sum(b0, y)"}, {"b", "sum(b1, y)"}}, 100000).beside("a"), 1u);
}

TEST(Bundle, HasOnlyDueDiagnostics) {
  const auto made =
      bundling({{"a", "sum(p0, rank)"}, {"b", "sum(p1, rank)"}, {"c", "sum(p2, rank)"}}, 10, {1, 0, 1});
  EXPECT_EQ(made.beside("a"), 2u);
  EXPECT_EQ(made.position(made.compiled.graph.diagnostics[1].node).node, -1);
}

TEST(Bundle, NeedsOneProgramForEachBundle) {
  const auto made =
      bundling({{"a", "mean((b0 - mean(b0)) ** 2, y)"}, {"b", "mean((b1 - mean(b1)) ** 2, y)"}});
  ASSERT_EQ(made.beside("a"), 2u);
  const Schedule schedule = make_schedule(made.bundled);
  ASSERT_EQ(schedule.phases.size(), 2u);
  for (const PhasePlan& phase : schedule.phases) {
    EXPECT_EQ(phase.blocks.programs.size(), 1u);
    EXPECT_EQ(phase.roots.size(), 1u);
  }
}

}  // namespace
}  // namespace tailrace::analytics::planning
