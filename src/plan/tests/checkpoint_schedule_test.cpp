#include <gtest/gtest.h>

#include <vector>

#include "plan/plan.hpp"

namespace tailrace::plan {
namespace {

std::vector<std::int64_t> due_steps(const char* every, model::Tick begin,
                                    const std::vector<model::Tick>& ticks) {
  Plan plan;
  plan.has_checkpoints = true;
  plan.checkpoint_every = time::Period::parse(every);
  const auto is_due = checkpoint_schedule(plan, begin);
  std::vector<std::int64_t> steps;
  for (const model::Tick& tick : ticks)
    if (is_due(tick)) steps.push_back(tick.step);
  return steps;
}

using Steps = std::vector<std::int64_t>;

TEST(CheckpointSchedule, HasNoneWhereTheRunBegins) {
  const std::vector<model::Tick> ticks{{0, 0.0}, {1, 5.0}, {2, 10.0}, {3, 15.0}, {4, 20.0}};
  EXPECT_EQ(due_steps("2 steps", {0, 0.0}, ticks), (Steps{2, 4}));
  EXPECT_EQ(due_steps("10 s", {0, 0.0}, ticks), (Steps{2, 4}));
  EXPECT_EQ(due_steps("1 step", {0, 0.0}, ticks), (Steps{1, 2, 3, 4}));
  EXPECT_EQ(due_steps("5 s", {-1, -5.0}, ticks), (Steps{0, 1, 2, 3, 4}));
}

TEST(CheckpointSchedule, BeginsAtTheInitialStepOrTheCheckpoint) {
  const std::vector<model::Tick> ticks{{40, 200.0}, {41, 205.0}, {42, 210.0}};
  EXPECT_EQ(due_steps("20 steps", {40, 200.0}, ticks), Steps{});
  EXPECT_EQ(due_steps("100 s", {40, 200.0}, ticks), Steps{});
  EXPECT_EQ(due_steps("1 step", {40, 200.0}, ticks), (Steps{41, 42}));
}

TEST(CheckpointSchedule, CountsStepsFromOneAtTheInitialTime) {
  const std::vector<model::Tick> ticks{{1, 0.0}, {2, 5.0}, {3, 10.0}};
  EXPECT_EQ(due_steps("10 s", {0, 0.0}, ticks), (Steps{3}));
  EXPECT_EQ(due_steps("1 step", {0, 0.0}, ticks), (Steps{1, 2, 3}));
}

TEST(CheckpointSchedule, IsEmptyWithoutCheckpoints) {
  const Plan plan;
  EXPECT_FALSE(checkpoint_schedule(plan, {0, 0.0}));
}

}  // namespace
}  // namespace tailrace::plan
