// Tests the assignment of model ranks to servers on machines of all kinds. Every rank must compute the same
// assignment from the same input.
#include "handshake/assignment.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/error.hpp"
#include "base/index.hpp"
#include "env/topology.hpp"

namespace tailrace::handshake {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

// Model ranks of one component on the nodes given.
std::vector<Participant> on_nodes(const std::vector<int>& nodes) {
  std::vector<Participant> ranks;
  for (const int node : nodes) ranks.push_back({false, "bubble", node});
  return ranks;
}

settings::ServersOptions dedicated(int count, int per_node = 0) {
  settings::ServersOptions options;
  options.count = count;
  options.per_node = per_node;
  return options;
}

settings::ServersOptions with(settings::Mode mode) {
  settings::ServersOptions options;
  options.mode = mode;
  return options;
}

std::string error_of(const std::vector<Participant>& ranks, const settings::ServersOptions& options) {
  try {
    place(ranks, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "no error";
}

TEST(Assignment, TakesServersFromTheEnd) {
  const Assignment assignment = place(on_nodes({0, 0, 0, 0, 0, 0}), dedicated(2));
  EXPECT_THAT(assignment.servers, ElementsAre(4, 5));
  EXPECT_THAT(assignment.server_of, ElementsAre(0, 0, 1, 1, -1, -1)) << "neighbours share a server";
  EXPECT_THAT(assignment.component_of, ElementsAre(0, 0, 0, 0, -1, -1));
  EXPECT_THAT(assignment.components, ElementsAre("bubble"));
  EXPECT_THAT(assignment.ranks, ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(Assignment, SharesClientsOutAsEvenlyAsCanBe) {
  const Assignment assignment = place(on_nodes(std::vector<int>(10, 0)), dedicated(3));
  std::vector<int> clients(3);
  for (const int server : assignment.server_of)
    if (server >= 0) ++clients[base::index(server)];
  EXPECT_THAT(clients, testing::UnorderedElementsAre(2, 2, 3));
}

TEST(Assignment, PerNodeTakesTheLastRanksOfEachNode) {
  const Assignment assignment = place(on_nodes({0, 0, 0, 1, 1, 1, 2, 2}), dedicated(1, 1));
  EXPECT_THAT(assignment.servers, ElementsAre(2, 5, 7));
  EXPECT_THAT(assignment.server_of, ElementsAre(0, 0, -1, 1, 1, -1, 2, -1)) << "its own node's";
}

TEST(Assignment, RanksOfANodeNeedNotBeNeighbours) {
  const Assignment assignment = place(on_nodes({7, 3, 7, 3, 7, 3}), dedicated(1, 1));
  EXPECT_THAT(assignment.servers, ElementsAre(4, 5));
  EXPECT_THAT(assignment.server_of, ElementsAre(0, 1, 0, 1, -1, -1));
}

TEST(Assignment, ClientsWithoutAServerOnTheirNodeGoToAll) {
  // Both servers are on node 1.
  const Assignment assignment = place(on_nodes({0, 0, 0, 0, 1, 1, 1}), dedicated(2));
  EXPECT_THAT(assignment.servers, ElementsAre(5, 6));
  EXPECT_THAT(assignment.server_of, ElementsAre(0, 0, 1, 1, 0, -1, -1));
}

TEST(Assignment, RanksOfTailraceServeAreTheServersWhateverTheCount) {
  std::vector<Participant> ranks = on_nodes({0, 0, 0, 0, 0});
  ranks[1] = ranks[3] = {true, "", 0};
  const Assignment assignment = place(ranks, dedicated(1));
  EXPECT_THAT(assignment.servers, ElementsAre(1, 3));
  EXPECT_THAT(assignment.server_of, ElementsAre(0, -1, 0, -1, 1));
}

TEST(Assignment, ComponentsShareTheServers) {
  std::vector<Participant> ranks = on_nodes({0, 0, 0, 0, 0});
  ranks[2].component = ranks[3].component = "ocean";
  const Assignment assignment = place(ranks, dedicated(1));
  EXPECT_THAT(assignment.components, ElementsAre("bubble", "ocean"));
  EXPECT_THAT(assignment.component_of, ElementsAre(0, 0, 1, 1, -1));
  EXPECT_THAT(assignment.ranks, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(assignment.server_of, ElementsAre(0, 0, 0, 0, -1));
}

TEST(Assignment, EachModelRankServesItselfWhereNoRankIsDedicated) {
  for (const settings::Mode mode : {settings::Mode::attached, settings::Mode::inline_}) {
    const Assignment assignment = place(on_nodes({0, 0, 1}), with(mode));
    EXPECT_THAT(assignment.servers, ElementsAre(0, 1, 2));
    EXPECT_THAT(assignment.server_of, ElementsAre(0, 1, 2));
    EXPECT_THAT(assignment.component_of, ElementsAre(0, 0, 0));
  }
}

TEST(Assignment, OffMeansNoServer) {
  const Assignment assignment = place(on_nodes({0, 0}), with(settings::Mode::off));
  EXPECT_THAT(assignment.servers, IsEmpty());
  EXPECT_THAT(assignment.server_of, Each(-1));
  EXPECT_THAT(assignment.component_of, Each(0));
}

TEST(Assignment, LeavesAModelRankOrSaysHowTo) {
  EXPECT_EQ(
      error_of(on_nodes({0, 0}), dedicated(2)),
      "servers: 2 of 2 ranks would be servers, and no model rank is left; start more ranks, ask for fewer "
      "servers, or use `mode: attached` or `mode: inline`, which need no ranks of their own");
  EXPECT_THAT(error_of(on_nodes({0}), dedicated(1)), testing::HasSubstr("1 of 1 ranks would be servers"));
  EXPECT_THAT(error_of(on_nodes({0, 1}), dedicated(1, 1)),
              testing::HasSubstr("2 of 2 ranks would be servers"));
  EXPECT_THAT(error_of(on_nodes({0, 0, 0}), dedicated(9)),
              testing::HasSubstr("3 of 3 ranks would be servers"));
  EXPECT_EQ(error_of({{true, "", 0}, {true, "", 0}}, dedicated(1)),
            "there are only servers and no model rank; start a model beside them");
}

// Model ranks that are bound to these NUMA domains of their nodes.
std::vector<Participant> in_domains(const std::vector<std::pair<int, int>>& places) {
  std::vector<Participant> ranks;
  for (const auto& [node, domain] : places) ranks.push_back({false, "bubble", node, domain});
  return ranks;
}

settings::ServersOptions per_domain(int servers) {
  settings::ServersOptions options;
  options.per_domain = servers;
  return options;
}

TEST(Assignment, PerNodeTakesItsDomainsInTurn) {
  const auto ranks = in_domains({{0, 0}, {0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}});
  EXPECT_THAT(place(ranks, dedicated(1, 1)).servers, ElementsAre(5));
  EXPECT_THAT(place(ranks, dedicated(1, 2)).servers, ElementsAre(2, 5));
  EXPECT_THAT(place(ranks, dedicated(1, 3)).servers, ElementsAre(2, 4, 5));
  const auto assignment = place(ranks, dedicated(1, 2));
  EXPECT_THAT(assignment.server_of, ElementsAre(0, 0, -1, 1, 1, -1)) << "that of their domain";
}

TEST(Assignment, PerDomainTakesTheLastRanksOfEach) {
  // Dealt out to the domains in turn, as some launchers do.
  const auto ranks = in_domains({{0, 0}, {0, 1}, {0, 0}, {0, 1}, {4, 0}, {4, 1}, {4, 0}, {4, 1}});
  const Assignment assignment = place(ranks, per_domain(1));
  EXPECT_THAT(assignment.servers, ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(assignment.server_of, ElementsAre(0, 1, -1, -1, 2, 3, -1, -1));
}

TEST(Assignment, UnboundRanksAreOneDomainOfTheirNode) {
  const auto ranks = in_domains({{0, -1}, {0, -1}, {0, -1}, {1, -1}, {1, -1}});
  const Assignment assignment = place(ranks, per_domain(1));
  EXPECT_THAT(assignment.servers, ElementsAre(2, 4));
  EXPECT_THAT(assignment.server_of, ElementsAre(0, 0, -1, 1, -1));
}

TEST(Assignment, WithoutAServerInTheirDomainClientsTakeAnyOfTheNode) {
  const auto ranks = in_domains({{0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1}});
  EXPECT_THAT(place(ranks, dedicated(2)).server_of, ElementsAre(0, 1, 0, 1, -1, -1));
}

// Nodes of four domains and 256 cores, whose ranks the launcher has bound one by one.
TEST(Assignment, KeepsToTheDomainsOfThousandsOfRanks) {
  const auto machine = env::make_topology("pack:2 numa:2 core:64 pu:1");
  if (!machine) GTEST_SKIP() << "this build has no hwloc";
  std::vector<Participant> ranks;
  for (int rank = 0; rank < 32768; ++rank) {
    const int cpu = rank % 256;
    ranks.push_back({false, "bubble", rank / 256, env::domain_of(*machine, std::vector<int>{cpu}), cpu});
  }
  const Assignment assignment = place(ranks, per_domain(2));
  EXPECT_EQ(assignment.servers.size(), 128u * 4 * 2);
  std::map<int, int> clients;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const int server = assignment.server_of[rank];
    if (server < 0) continue;
    ++clients[server];
    const Participant& its = ranks[base::index(assignment.servers[base::index(server)])];
    ASSERT_EQ(its.node, ranks[rank].node);
    ASSERT_EQ(its.domain, ranks[rank].domain);
  }
  for (const auto& [server, count] : clients) ASSERT_EQ(count, 31) << server;
}

// On any machine, each model rank has exactly one server, on its own node if that has one, and the loads on
// a node differ by at most one.
TEST(Assignment, HoldsItsRulesOnRandomMachines) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<int> nodes(2 + random() % 20);
    for (int& node : nodes) node = static_cast<int>(random() % 4);
    const bool by_node = random() % 2 == 0;
    const int count = 1 + static_cast<int>(random() % (nodes.size() - 1));
    const auto options = dedicated(count, by_node ? 1 : 0);
    Assignment assignment;
    try {
      assignment = place(on_nodes(nodes), options);
    } catch (const Error&) {
      continue;  // one rank on each node
    }
    EXPECT_TRUE(std::is_sorted(assignment.servers.begin(), assignment.servers.end()));
    if (!by_node) {
      EXPECT_EQ(std::ssize(assignment.servers), count);
    }
    std::map<int, std::map<int, int>> load;  // by node of the clients, by server
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
      const int server = assignment.server_of[rank];
      const bool serves = std::ranges::count(assignment.servers, static_cast<int>(rank)) == 1;
      ASSERT_EQ(server < 0, serves);
      if (serves) continue;
      ASSERT_LT(server, std::ssize(assignment.servers));
      const auto node_of = [&](int number) {
        return nodes[base::index(assignment.servers[base::index(number)])];
      };
      const bool at_home = std::ranges::any_of(
          assignment.servers, [&](int each) { return nodes[base::index(each)] == nodes[rank]; });
      if (!at_home) continue;
      EXPECT_EQ(node_of(server), nodes[rank]);
      for (int each = 0; each < std::ssize(assignment.servers); ++each)
        if (node_of(each) == nodes[rank]) load[nodes[rank]].try_emplace(each, 0);
      ++load[nodes[rank]][server];
    }
    for (const auto& [node, servers] : load) {
      const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
      const auto [least, most] = std::minmax_element(servers.begin(), servers.end(), by_count);
      EXPECT_LE(most->second - least->second, 1);
    }
  }
}

}  // namespace
}  // namespace tailrace::handshake
