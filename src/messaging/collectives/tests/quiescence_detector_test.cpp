#include "messaging/collectives/quiescence_detector.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <random>

#include "base/index.hpp"
#include "messaging/testing/memory_network.hpp"

namespace tailrace::messaging {
namespace {

constexpr std::int32_t work = 1, resting = 2, look = 3;

// Servers that give each other work: a message contains the number of further ones that it causes.
struct Server {
  std::unique_ptr<comm::Communicator> communicator;
  std::unique_ptr<Messenger> messenger;
  std::unique_ptr<QuiescenceDetector> detector;
  std::vector<std::size_t> waiting;  // what came and is not done yet
  bool busy = false;                 // also without a message
  int found = 0;
};

struct Servers {
  std::mt19937 random;
  testing::MemoryNetwork network;
  std::vector<Server> all;
  std::uint64_t sent = 0, done = 0;

  Servers(int count, int root, unsigned seed)
      : random(seed), network(count, seed), all(static_cast<std::size_t>(count)) {
    for (int rank = 0; rank < count; ++rank) {
      Server& server = all[base::index(rank)];
      server.communicator = network.rank(rank);
      server.messenger = std::make_unique<Messenger>(*server.communicator);
      server.messenger->on(work,
                           [&server](int, Bytes&& message) { server.waiting.push_back(message.size()); });
      server.detector = std::make_unique<QuiescenceDetector>(
          *server.messenger,
          QuiescenceDetector::Kinds{
              .resting = resting, .look = look, .first_counted = work, .end_counted = work + 1},
          root,
          QuiescenceDetector::Events{.at_rest = [&server] { return !server.busy && server.waiting.empty(); },
                                     .all_rest =
                                         [this, &server] {
                                           ++server.found;
                                           EXPECT_EQ(done, sent) << "a message is still under way";
                                         }});
      server.detector->begin();
    }
  }
  void give_work(Server& from, std::size_t further) {
    ++sent;
    from.messenger->send(static_cast<int>(random() % all.size()), work, Bytes(further));
  }
  void turn(Server& server) {
    server.messenger->progress();
    if (!server.waiting.empty() && random() % 3 == 0) {
      const std::size_t further = server.waiting.back();
      server.waiting.pop_back();
      ++done;
      if (further > 0) give_work(server, further - 1);
    }
    server.detector->progress();
  }
  void turns(int count) {
    for (int turn = 0; turn < count; ++turn) this->turn(all[random() % all.size()]);
  }
};

TEST(QuiescenceDetector, FindsItOnceAndOnTheRootAlone) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const int count = 1 + static_cast<int>(seed % 7) * 5, root = count / 2;
    Servers servers(count, root, seed);
    for (std::size_t some = 0; some < 5; ++some) servers.give_work(servers.all.front(), 20);
    servers.turns(20000 * (1 + count / 10));
    EXPECT_EQ(servers.done, 5u * 21u);
    for (int rank = 0; rank < count; ++rank)
      EXPECT_EQ(servers.all[base::index(rank)].found, rank == root ? 1 : 0) << "seed " << seed;
  }
}

TEST(QuiescenceDetector, WaitsForTheLastServer) {
  Servers servers(20, 0, 1);
  servers.all.back().busy = true;
  servers.turns(10000);
  EXPECT_EQ(servers.all.front().found, 0);
  servers.all.back().busy = false;
  servers.turns(10000);
  EXPECT_EQ(servers.all.front().found, 1);
}

TEST(QuiescenceDetector, IsSilentOnceItHasEnded) {
  Servers servers(5, 0, 1);
  for (Server& server : servers.all) server.detector->end();
  servers.turns(5000);
  EXPECT_EQ(servers.all.front().found, 0);
  for (const Server& server : servers.all) EXPECT_EQ(server.messenger->traffic(resting, look + 1).sent, 0u);
}

}  // namespace
}  // namespace tailrace::messaging
