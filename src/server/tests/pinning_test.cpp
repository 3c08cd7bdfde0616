#include "server/resources/pinning.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace tailrace::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<int> cpus(int first, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

// Each core with two threads, which the system counts as 0, 8; 1, 9; ...
env::Topology hyperthreads() {
  env::Topology topology;
  for (int cpu = 0; cpu < 16; ++cpu) topology.core.push_back(cpu % 8);
  return topology;
}

TEST(Pinning, NothingIsPinnedWhereAllRanksMayRunEverywhere) {
  const ThreadPinning pinning = plan_pinning(cpus(0, 8), {cpus(0, 8), cpus(0, 8)}, {});
  EXPECT_THAT(pinning.communication, IsEmpty());
  EXPECT_THAT(pinning.work, IsEmpty());
}

TEST(Pinning, AServerKeepsToTheCoresThatItHasForItself) {
  const ThreadPinning pinning = plan_pinning(cpus(2, 4), {{0}, {1}, {2}, {4}}, {});
  EXPECT_THAT(pinning.work, ElementsAre(3, 5));
  EXPECT_THAT(pinning.communication, ElementsAre(3, 5));
}

TEST(Pinning, OfFourCoresTheCommunicationThreadHasOne) {
  const ThreadPinning pinning = plan_pinning(cpus(3, 5), {cpus(0, 3), {7}}, {});
  EXPECT_THAT(pinning.communication, ElementsAre(3));
  EXPECT_THAT(pinning.work, ElementsAre(4, 5, 6));
}

TEST(Pinning, ACoreIsWhollyAnothersWhereOneOfItsThreadsIs) {
  const ThreadPinning pinning = plan_pinning({1, 2, 9, 10}, {{0}, {9}}, hyperthreads());
  EXPECT_THAT(pinning.work, ElementsAre(2, 10));
}

TEST(Pinning, BothThreadsOfACoreGoTogether) {
  const ThreadPinning pinning = plan_pinning({4, 5, 6, 7, 12, 13, 14, 15}, {{0}, {1}}, hyperthreads());
  EXPECT_THAT(pinning.communication, ElementsAre(4, 12));
  EXPECT_THAT(pinning.work, ElementsAre(5, 6, 7, 13, 14, 15));
}

TEST(Pinning, OneSharedCoreIsLeftAsItIs) {
  EXPECT_THAT(plan_pinning({3}, {{3}}, {}).work, IsEmpty());
  EXPECT_THAT(plan_pinning({3}, {{2}}, {}).work, ElementsAre(3));
  EXPECT_THAT(plan_pinning({}, {{2}}, {}).work, IsEmpty());
}

TEST(Pinning, OneCoreIsTold) {
  EXPECT_TRUE(on_one_core({.communication = {3}, .work = {3}}));
  EXPECT_FALSE(on_one_core({.communication = {3, 4}, .work = {3, 4}}));
  EXPECT_FALSE(on_one_core({.communication = {3}, .work = {4, 5, 6}}));
}

// Whatever the launcher did, a server stays on cores where it may run, and off all cores of others.
TEST(Pinning, StaysWithinTheMaskAndOffTheOthers) {
  unsigned state = 7;
  const auto random = [&](unsigned below) {
    return (state = state * 1664525u + 1013904223u) / 65536u % below;
  };
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<std::vector<int>> masks(2 + random(6));
    for (auto& mask : masks)
      for (int cpu = 0; cpu < 16; ++cpu)
        if (random(3) == 0) mask.push_back(cpu);
    const std::vector<int> mine = masks.back();
    masks.pop_back();
    const ThreadPinning pinning = plan_pinning(mine, masks, hyperthreads());
    for (const auto& pinned : {pinning.communication, pinning.work})
      for (const int cpu : pinned) {
        EXPECT_THAT(mine, testing::Contains(cpu));
        for (const auto& other : masks)
          for (const int taken : other) EXPECT_NE(taken % 8, cpu % 8);
      }
    EXPECT_EQ(pinning.communication.empty(), pinning.work.empty());
  }
}

}  // namespace
}  // namespace tailrace::server
