#include "analytics/engine/result_queue.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace tailrace::analytics::engine {
namespace {

TEST(ResultQueue, PassesResultsOnInOrderAsSoonAsPossible) {
  std::vector<std::int64_t> steps;
  ResultQueue queue([&](FinishedStep&& step) { steps.push_back(step.results.tick.step); });
  const auto results = [](std::int64_t step) {
    FinishedStep made;
    made.results.tick.step = step;
    return made;
  };
  std::vector<std::int64_t> rounds;
  for (int i = 0; i < 4; ++i) rounds.push_back(queue.next_round());
  queue.add(rounds[2], results(30));
  queue.add(rounds[1], results(20));
  EXPECT_TRUE(steps.empty());
  queue.add(rounds[0], results(10));
  EXPECT_THAT(steps, ::testing::ElementsAre(10, 20, 30));
  queue.add(rounds[3], results(40));
  EXPECT_THAT(steps, ::testing::ElementsAre(10, 20, 30, 40));
}

}  // namespace
}  // namespace tailrace::analytics::engine
