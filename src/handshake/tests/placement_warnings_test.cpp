#include "handshake/placement_warnings.hpp"

#include <gmock/gmock.h>

namespace tailrace::handshake {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// So many nodes with so many ranks each, one after the other.
std::vector<std::string> warnings(int nodes, int ranks, const settings::ServersOptions& options) {
  std::vector<Participant> participants;
  std::vector<int> of_ranks;
  for (int node = 0; node < nodes; ++node)
    for (int rank = 0; rank < ranks; ++rank) {
      participants.push_back({false, "air", node});
      of_ranks.push_back(node);
    }
  return placement_warnings(place(participants, options), of_ranks);
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

}  // namespace
}  // namespace tailrace::handshake
