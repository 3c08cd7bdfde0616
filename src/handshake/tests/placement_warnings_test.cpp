#include <gmock/gmock.h>

#include "handshake/placement/warnings.hpp"

namespace tailrace::handshake {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A number of nodes with a number of ranks each, one after the other.
std::vector<std::string> warnings(int nodes, int ranks, const settings::ServersOptions& options) {
  std::vector<Participant> participants;
  for (int node = 0; node < nodes; ++node)
    for (int rank = 0; rank < ranks; ++rank) participants.push_back({false, "air", node});
  return placement_warnings(place(participants, options), participants, options);
}

settings::ServersOptions count(int servers) {
  settings::ServersOptions options;
  options.count = servers;
  return options;
}

TEST(PlacementWarnings, ServersThatAreAllOnTheLastNodeAreToldOf) {
  EXPECT_THAT(warnings(300, 7, count(5)),
              ElementsAre(AllOf(HasSubstr("all 5 servers are on one of 300 nodes"),
                                HasSubstr("2093 of 2095 model ranks"), HasSubstr("per_node: 1"))));
}

TEST(PlacementWarnings, RanksWithoutAServerOnTheirNodeAreCounted) {
  EXPECT_THAT(warnings(3, 4, count(6)),
              ElementsAre(HasSubstr("4 of 6 model ranks have no server on their node")));
  EXPECT_THAT(warnings(2, 5, count(1)), ElementsAre(HasSubstr("5 of 9 model ranks")));
}

TEST(PlacementWarnings, NothingIsSaidWhereAllAreNear) {
  settings::ServersOptions per_node;
  per_node.per_node = 2;
  EXPECT_THAT(warnings(40, 9, per_node), IsEmpty());
  EXPECT_THAT(warnings(1, 9, count(3)), IsEmpty());
  settings::ServersOptions attached;
  attached.mode = settings::Mode::attached;
  EXPECT_THAT(warnings(3, 2, attached), IsEmpty());
  attached.mode = settings::Mode::off;
  EXPECT_THAT(warnings(3, 2, attached), IsEmpty());
}

// Ranks that are bound to one hardware thread each, of two nodes with as many in two domains each.
std::vector<Participant> bound(const std::vector<int>& cpus) {
  std::vector<Participant> participants;
  for (int node = 0; node < 2; ++node)
    for (const int cpu : cpus) participants.push_back({false, "air", node, cpu / 4, cpu});
  return participants;
}

TEST(PlacementWarnings, AServerOnTheCoreOfAModelRankIsToldOf) {
  settings::ServersOptions options;
  options.per_node = 1;
  const auto crowded = bound({0, 1, 2, 3, 1});
  EXPECT_THAT(placement_warnings(place(crowded, options), crowded, options),
              ElementsAre(AllOf(HasSubstr("2 of 2 server ranks are bound to the same core"),
                                HasSubstr("rank 4 and model rank 1 share core 1"))));
  const auto roomy = bound({0, 1, 2, 3, 4});
  EXPECT_THAT(placement_warnings(place(roomy, options), roomy, options), IsEmpty());
  auto elsewhere = bound({0, 1, 2, 3, 4});
  elsewhere[6].only_core = 4;  // as the server of the other node
  EXPECT_THAT(placement_warnings(place(elsewhere, options), elsewhere, options), testing::SizeIs(1));
}

TEST(PlacementWarnings, DomainsThatAreNotKnownAreToldOf) {
  settings::ServersOptions options;
  options.per_domain = 1;
  EXPECT_THAT(warnings(2, 5, options),
              ElementsAre(HasSubstr("of 10 ranks 10 are not bound to a known NUMA domain")));
  const auto known = bound({0, 3, 4, 7});
  EXPECT_THAT(placement_warnings(place(known, options), known, options), IsEmpty());
}

}  // namespace
}  // namespace tailrace::handshake
