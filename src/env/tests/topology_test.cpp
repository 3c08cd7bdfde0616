#include "env/topology.hpp"

#include <gmock/gmock.h>

#include "env/threads.hpp"

namespace tailrace::env {
namespace {

using testing::ElementsAre;

const Topology two_domains{.domain = {0, 0, 1, 1, -1}, .core = {0, 1, 0, 1}};

TEST(Topology, ADomainHoldsAllOrNone) {
  EXPECT_EQ(domain_of(two_domains, std::vector<int>{0, 1}), 0);
  EXPECT_EQ(domain_of(two_domains, std::vector<int>{3}), 1);
  EXPECT_EQ(domain_of(two_domains, std::vector<int>{1, 2}), -1) << "in both";
  EXPECT_EQ(domain_of(two_domains, std::vector<int>{4}), -1) << "not known";
  EXPECT_EQ(domain_of(two_domains, std::vector<int>{99}), -1) << "not there";
  EXPECT_EQ(domain_of(two_domains, {}), -1);
  EXPECT_EQ(domain_of({}, std::vector<int>{0}), -1);
}

TEST(Topology, ACoreIsNamedByItsFirstThread) {
  EXPECT_EQ(core_of(two_domains, 3), 1);
  EXPECT_EQ(core_of(two_domains, 4), 4) << "not known";
}

TEST(Topology, ACoreHoldsAllItsThreads) {
  EXPECT_EQ(only_core_of(two_domains, std::vector<int>{1, 3}), 1) << "both threads of it";
  EXPECT_EQ(only_core_of(two_domains, std::vector<int>{0, 1}), -1) << "two cores";
  EXPECT_EQ(only_core_of({}, std::vector<int>{4}), 4) << "without a topology a thread is a core";
  EXPECT_EQ(only_core_of({}, std::vector<int>{4, 5}), -1);
  EXPECT_EQ(only_core_of(two_domains, {}), -1);
}

TEST(Topology, OfAMachineInWords) {
  if (topology_source().empty()) GTEST_SKIP() << "this build has no hwloc";
  const auto made = make_topology("pack:1 numa:2 core:3 pu:2");
  ASSERT_TRUE(made);
  EXPECT_THAT(made->domain, ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(made->core, ElementsAre(0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10));
  EXPECT_FALSE(make_topology("a table and two chairs"));
}

TEST(Topology, OfThisMachineKnowsWhereWeMayRun) {
  if (topology_source().empty()) GTEST_SKIP() << "this build has no hwloc";
  const Topology here = read_topology();
  for (const int cpu : allowed_cpus()) {
    EXPECT_GE(domain_of(here, std::vector<int>{cpu}), 0) << cpu;
    EXPECT_LE(core_of(here, cpu), cpu);
  }
}

}  // namespace
}  // namespace tailrace::env
