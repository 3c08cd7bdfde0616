#include "messaging/collectives/tree_gather.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <numeric>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "messaging/testing/memory_network.hpp"

namespace tailrace::messaging {
namespace {

constexpr std::int32_t kind = 9;

struct Server {
  Server(testing::MemoryNetwork& network, int rank, int root)
      : communicator(network.rank(rank)),
        messenger(*communicator),
        gather(messenger, kind, root, [this](const Bytes& all) {
          std::vector<int>& round = rounds.emplace_back();
          for (base::ByteReader reader(all); !reader.rest().empty();) round.push_back(reader.get<int>());
        }) {}
  void say(int number) {
    base::ByteWriter writer;
    writer.put(number);
    gather.say(writer.take());
  }

  std::unique_ptr<comm::Communicator> communicator;
  Messenger messenger;
  TreeGather gather;
  std::vector<std::vector<int>> rounds;
};

struct Servers {
  testing::MemoryNetwork network;
  std::vector<std::unique_ptr<Server>> all;

  Servers(int count, int root) : network(count, 1) {
    for (int rank = 0; rank < count; ++rank) all.push_back(std::make_unique<Server>(network, rank, root));
  }
  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& server : all)
        moved = server->messenger.progress() || !server->messenger.idle() || moved;
    }
  }
};

class AnyNumberOfServers : public ::testing::TestWithParam<std::pair<int, int>> {};

// The first is rounds ahead of the others, and the last behind them.
TEST_P(AnyNumberOfServers, tells_the_root_alone_what_all_said_round_by_round) {
  const auto [count, root] = GetParam();
  Servers servers(count, root);
  for (int round = 0; round < 3; ++round) servers.all.front()->say(1000 * round);
  for (int round = 0; round < 3; ++round) {
    servers.settle();
    for (int rank = 1; rank < count; ++rank) servers.all[base::index(rank)]->say(1000 * round + rank);
  }
  servers.settle();
  for (int rank = 0; rank < count; ++rank) {
    const Server& server = *servers.all[base::index(rank)];
    ASSERT_EQ(server.rounds.size(), rank == root ? 3u : 0u);
    for (int round = 0; round < static_cast<int>(server.rounds.size()); ++round) {
      std::vector<int> expected(static_cast<std::size_t>(count));
      std::iota(expected.begin(), expected.end(), 1000 * round);
      EXPECT_THAT(server.rounds[base::index(round)], ::testing::UnorderedElementsAreArray(expected));
    }
    const auto traffic = server.messenger.traffic(kind, kind + 1);
    EXPECT_LE(traffic.sent, 3u * 2u) << "to itself, and to its parent";
    EXPECT_LE(traffic.handled, 3u * (tree_width + 1u));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AnyNumberOfServers,
                         ::testing::Values(std::pair{1, 0}, std::pair{2, 1}, std::pair{17, 0},
                                           std::pair{18, 5}, std::pair{328, 200}));

TEST(TreeGather, waits_for_the_last_server) {
  Servers servers(40, 3);
  for (std::size_t rank = 0; rank < 39; ++rank) servers.all[rank]->say(static_cast<int>(rank));
  servers.settle();
  EXPECT_TRUE(servers.all[3]->rounds.empty());
  servers.all[39]->say(39);
  servers.settle();
  EXPECT_EQ(servers.all[3]->rounds.size(), 1u);
}

}  // namespace
}  // namespace tailrace::messaging
