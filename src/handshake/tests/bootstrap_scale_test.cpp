// Tests that the messages of a rank in `start` stay few and small for any number of ranks.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "handshake/bootstrap/participant_list.hpp"
#include "messaging/collectives/tree_place.hpp"

namespace tailrace::handshake {
namespace {

constexpr int on_a_node = 128;

using NodeOf = std::function<int(int rank)>;

Hello hello_of(int rank, const NodeOf& node_of) {
  return {false, rank % 9 == 8 && rank < 900 ? "ocean" : "atmosphere", fmt::format("nid{:06}", node_of(rank)),
          rank % on_a_node / 16, rank % on_a_node};
}

struct Called {
  ParticipantList roster;
  std::size_t most_bytes = 0;  // that a rank sends or receives
};

// Up the tree, as the ranks would.
Called call(int rank, int ranks, const NodeOf& node_of) {
  Called here{ParticipantList::of(hello_of(rank, node_of)), 0};
  std::size_t heard = 0;
  for (const int child : messaging::TreePlace(rank, ranks).children) {
    const Called below = call(child, ranks, node_of);
    const std::vector<std::byte> word = below.roster.to_bytes();
    heard += word.size();
    here.most_bytes = std::max(here.most_bytes, below.most_bytes);
    here.roster.add(ParticipantList::from_bytes(word));
  }
  here.most_bytes = std::max({here.most_bytes, heard, here.roster.to_bytes().size()});
  return here;
}

TEST(RollCallOfManyRanks, is_short_where_neighbours_have_much_in_common) {
  for (const bool in_turn : {false, true}) {
    std::size_t bytes_of_few = 0;
    for (const int ranks : {1000, 100'000}) {
      const int nodes = (ranks + on_a_node - 1) / on_a_node;
      const NodeOf node_of = [&](int rank) { return in_turn ? rank % nodes : rank / on_a_node; };
      const Called called = call(0, ranks, node_of);
      const std::vector<Participant> participants = called.roster.participants();
      ASSERT_EQ(participants.size(), static_cast<std::size_t>(ranks));
      for (const int rank : {0, 8, 127, 128, ranks - 1}) {
        const Participant& one = participants[base::index(rank)];
        EXPECT_EQ(one.component, hello_of(rank, node_of).component);
        EXPECT_EQ(one.node, in_turn ? node_of(rank) : rank / on_a_node * on_a_node);
        EXPECT_EQ(one.only_core, rank % on_a_node);
        EXPECT_EQ(one.domain, rank % on_a_node / 16);
      }
      EXPECT_THAT(first_ranks_of_components(participants), ::testing::ElementsAre(0, 8));
      settings::ServersOptions options;
      options.per_node = 1;
      base::ByteWriter writer;
      const Assignment assignment = place(participants, options);
      EXPECT_EQ(assignment.servers.size(), static_cast<std::size_t>(nodes));
      put_assignment(writer, assignment);
      const std::size_t told = writer.bytes().size();
      EXPECT_LT(called.most_bytes, 500'000u);
      EXPECT_LT(told, 150'000u);
      if (ranks == 1000)
        bytes_of_few = told + called.most_bytes;
      else
        EXPECT_LT(told + called.most_bytes, 100 * bytes_of_few);
    }
  }
}

}  // namespace
}  // namespace tailrace::handshake
