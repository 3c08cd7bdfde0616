// Tests when the store creates steps and when it reuses them with their memory.
#include "analytics/engine/step_store.hpp"

#include <gtest/gtest.h>

#include "analytics/compile.hpp"
#include "analytics/engine/work/known.hpp"

namespace tailrace::analytics::engine {
namespace {

constexpr std::int64_t large = 1 << 20;  // cells: 8 MiB

struct Fixture {
  explicit Fixture(std::int64_t cells) {
    Scope scope;
    scope.inputs = {{"w", {{{"x", cells, true}}, "m s-1"}}};
    std::vector<DiagnosticSource> sources(2);
    sources[0].name = "total";
    sources[0].text = "sum(w)";
    sources[1].name = "greatest";
    sources[1].text = "max(w)";
    config::Problems problems;
    graph = compile(sources, scope, problems).graph;
    EngineInput w;
    w.regions = {model::Region::of_box({{0}, {cells}})};
    layout = std::make_unique<planning::Layout>(graph, std::vector<EngineInput>{w}, std::vector<int>{0},
                                                planning::Server{});
    known = work::known_values(*layout, {w});
    store = std::make_unique<StepStore>(*layout, known);
  }

  // A step as if its blocks had arrived.
  std::unique_ptr<Step> step(const std::vector<char>& due, std::size_t bytes) {
    auto made = store->begin(due);
    made->values.bytes = bytes;
    return made;
  }

  Graph graph;
  std::unique_ptr<planning::Layout> layout;
  std::vector<work::Value> known;
  std::unique_ptr<StepStore> store;
};

TEST(StepStore, ReusesAStepWhileTheSameDiagnosticsAreDue) {
  Fixture fixture(large);
  auto first = fixture.step({1, 0}, large * 8);
  const Step* const place = first.get();
  const planning::Plan* const plan = &first->plan();
  first->phase = 1;
  fixture.store->give_back(std::move(first));
  const auto second = fixture.step({1, 0}, large * 8);
  EXPECT_EQ(second.get(), place);
  EXPECT_EQ(second->phase, 0U);
  const auto third = fixture.step({1, 0}, large * 8);  // both in progress
  EXPECT_NE(third.get(), place);
  EXPECT_EQ(&third->plan(), plan);
}

TEST(StepStore, FreesLargeMemoryOfDiagnosticsThatAreNotDue) {
  Fixture fixture(large);
  auto first = fixture.step({1, 0}, large * 8);
  const planning::Plan* const plan = &first->plan();
  first->values.of_client(0, 0).make(large);
  fixture.store->give_back(std::move(first));
  fixture.store->give_back(
      fixture.step({0, 1}, large * 8));  // another set begins: the memory of the first is freed
  const auto again = fixture.step({1, 0}, 0);
  EXPECT_EQ(&again->plan(), plan);  // plans are kept
  EXPECT_TRUE(again->values.of_client(0, 0).bytes.empty());
}

TEST(StepStore, KeepsAllSmallMemory) {
  Fixture fixture(10);
  auto first = fixture.step({1, 0}, 80);
  const Step* const place = first.get();
  fixture.store->give_back(std::move(first));
  fixture.store->give_back(fixture.step({0, 1}, 80));
  EXPECT_EQ(fixture.step({1, 0}, 80).get(), place);
}

}  // namespace
}  // namespace tailrace::analytics::engine
