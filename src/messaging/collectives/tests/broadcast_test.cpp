#include "messaging/collectives/broadcast.hpp"

#include <gmock/gmock.h>

#include <memory>

#include "base/index.hpp"
#include "messaging/collectives/tree_place.hpp"
#include "messaging/testing/memory_network.hpp"

namespace tailrace::messaging {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int32_t kind = 4;

struct Server {
  std::unique_ptr<comm::Communicator> communicator;
  std::unique_ptr<Messenger> messenger;
  std::vector<int> heard;
};

// `count` servers, each of which notes the size of each message; `listen` registers the handler.
struct Servers {
  testing::MemoryNetwork network;
  std::vector<Server> all;

  template <class Listen>
  Servers(int count, Listen listen) : network(count, 1), all(static_cast<std::size_t>(count)) {
    for (int rank = 0; rank < count; ++rank) {
      Server& server = at(rank);
      server.communicator = network.rank(rank);
      server.messenger = std::make_unique<Messenger>(*server.communicator);
      listen(*server.messenger,
             [&server](const Bytes& message) { server.heard.push_back(static_cast<int>(message.size())); });
    }
  }
  Server& at(int rank) { return all[base::index(rank)]; }
  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const Server& server : all)
        moved = server.messenger->progress() || !server.messenger->idle() || moved;
    }
  }
  std::uint64_t most_sent() const {
    std::uint64_t most = 0;
    for (const Server& server : all) most = std::max(most, server.messenger->traffic(kind, kind + 1).sent);
    return most;
  }
};

TEST(Broadcast, ReachesAllInOrderByFewMessagesOfEach) {
  for (const auto& [count, root] : {std::pair{1, 0}, {2, 1}, {40, 0}, {328, 200}}) {
    Servers servers(count, [root](Messenger& messenger, auto note) {
      on_broadcast(messenger, kind, root, [note, root](int from, Bytes&& message) {
        EXPECT_EQ(from, root);
        note(message);
      });
    });
    for (std::size_t size = 1; size <= 3; ++size) broadcast(*servers.at(root).messenger, kind, Bytes(size));
    EXPECT_THAT(servers.at(root).heard, IsEmpty()) << "its own comes in its next progress";
    servers.settle();
    for (const Server& server : servers.all) EXPECT_THAT(server.heard, ElementsAre(1, 2, 3));
    EXPECT_LE(servers.most_sent(), 3u * (tree_width + 1u));
  }
}

TEST(Broadcast, OfAnyServerReachesAll) {
  Servers servers(328, [](Messenger& messenger, auto note) { on_broadcast_from_any(messenger, kind, note); });
  for (const int root : {77, 0, 327})
    broadcast_from_any(*servers.at(root).messenger, kind, Bytes(static_cast<std::size_t>(root)));
  servers.settle();
  for (const Server& server : servers.all)
    EXPECT_THAT(server.heard, ::testing::UnorderedElementsAre(77, 0, 327));
}

TEST(Flood, OfManyServersIsHeardOnceByFewMessagesOfEach) {
  Servers servers(300, [](Messenger& messenger, auto note) { on_flood_once(messenger, kind, note); });
  for (int rank = 5; rank < 300; rank += 7) flood(*servers.at(rank).messenger, kind, Bytes(2));
  servers.settle();
  for (const Server& server : servers.all) EXPECT_THAT(server.heard, ElementsAre(2));
  EXPECT_LE(servers.most_sent(), tree_width + 2u);
}

}  // namespace
}  // namespace tailrace::messaging
