// The moment that all servers save: never while one of them has work or a message is under way, however the
// messages are delayed.
#include "pipeline/checkpoints/snapshot_barrier.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <random>

#include "messaging/collectives/tree_place.hpp"
#include "messaging/testing/memory_network.hpp"

namespace tailrace::pipeline::checkpoints {
namespace {

// A simulated server. Clients that have not reached the step yet give it work. A piece of work takes a while
// and sends messages to other servers, each of which makes another, shorter piece there.
struct Server {
  Server(messaging::testing::MemoryNetwork& network, int rank, int leader)
      : communicator(network.rank(rank)), messenger(*communicator), control(messenger, 1) {
    control.on(ControlMessage::bundle,
               [this](int, messaging::Bytes&& message) { work.push_back(message.size()); });
    cut = std::make_unique<SnapshotBarrier>(
        control, leader,
        SnapshotBarrier::Events{
            .begin = [this](const model::Tick& tick, const messaging::Bytes&) { at = tick.step; },
            .at_rest = [this] { return cut->asked() && work.empty(); },
            .save = [this] { saves.push_back(at); }});
  }

  std::unique_ptr<comm::Communicator> communicator;
  messaging::Messenger messenger;
  ControlChannel control;
  std::unique_ptr<SnapshotBarrier> cut;
  std::vector<std::size_t> work;
  std::int64_t at = -1;
  std::vector<std::int64_t> saves;
};

struct Servers {
  messaging::testing::MemoryNetwork network;
  std::mt19937 random;
  std::vector<std::unique_ptr<Server>> all;

  Servers(int count, int leader, unsigned seed) : network(count, seed), random(seed) {
    for (int rank = 0; rank < count; ++rank) all.push_back(std::make_unique<Server>(network, rank, leader));
  }
  std::size_t any(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  }
  void do_work(Server& server) {
    if (!server.cut->asked() && any(3) == 0) server.work.push_back(3 + any(20));
    if (server.work.empty() || any(6) > 0) return;
    const std::size_t left = server.work.back() - 1;
    server.work.pop_back();
    const std::size_t messages = left == 0 ? 0 : any(10) == 0 ? 2 : 1;
    for (std::size_t message = 0; message < messages; ++message)
      server.messenger.send(static_cast<int>(any(all.size())), server.control.kind(ControlMessage::bundle),
                            messaging::Bytes(left));
  }
  // Counts the messages between servers that are not part of a checkpoint.
  bool nothing_is_under_way() const {
    std::uint64_t sent = 0, handled = 0;
    for (const auto& server : all) {
      const auto traffic = server->messenger.traffic(server->control.kind(ControlMessage{}),
                                                     server->control.kind(first_checkpoint_message));
      sent += traffic.sent;
      handled += traffic.handled;
    }
    return sent == handled && std::ranges::all_of(all, [](const auto& one) { return one->work.empty(); });
  }
  // Runs until all have saved and may continue. The clients of some servers reach the step late.
  void run_to(std::int64_t step) {
    constexpr std::size_t last_comes_after = 40;
    std::vector<std::size_t> comes_after(all.size());
    for (std::size_t& turns : comes_after) turns = any(last_comes_after);
    for (std::size_t turn = 0; turn < 100000; ++turn) {
      bool over = turn > last_comes_after;
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        Server& server = *all[rank];
        const std::size_t before = server.saves.size();
        if (comes_after[rank] == turn) server.cut->ask({step, 0.5}, {});
        server.messenger.progress();
        if (server.saves.size() > before) {
          EXPECT_TRUE(nothing_is_under_way());
        }
        do_work(server);
        if (any(2) > 0) server.cut->progress(true);
        over = over && !server.cut->under_way();
      }
      if (over) return;
    }
    FAIL() << "the servers do not come to rest";
  }
};

class AnyServers : public testing::TestWithParam<std::tuple<int, int, unsigned>> {};

TEST_P(AnyServers, save_when_nothing_is_under_way) {
  const auto [count, leader, seed] = GetParam();
  Servers servers(count, leader, seed);
  for (const std::int64_t step : {3, 4, 9}) {
    servers.run_to(step);
    for (const auto& server : servers.all) {
      ASSERT_FALSE(server->saves.empty());
      EXPECT_EQ(server->saves.back(), step);
    }
  }
  for (const auto& server : servers.all) EXPECT_THAT(server->saves, testing::ElementsAre(3, 4, 9));
}

// A team of a few comes to many moments in which all but one rest and the numbers happen to be equal.
INSTANTIATE_TEST_SUITE_P(Few, AnyServers,
                         testing::Combine(testing::Values(1, 2, 3, 5), testing::Values(0),
                                          testing::Range(1u, 41u)));
INSTANTIATE_TEST_SUITE_P(Many, AnyServers,
                         testing::Combine(testing::Values(18, 61), testing::Values(0, 4),
                                          testing::Range(1u, 5u)));

TEST(SnapshotBarrier, costs_each_of_many_servers_a_few_messages) {
  Servers servers(328, 200, 1);
  for (const auto& server : servers.all) server->cut->ask({7, 0.5}, {});
  for (int turn = 0; turn < 300; ++turn)
    for (const auto& server : servers.all) {
      server->messenger.progress();
      server->cut->progress(true);
    }
  for (const auto& server : servers.all) {
    EXPECT_FALSE(server->cut->under_way());
    EXPECT_THAT(server->saves, testing::ElementsAre(7));
    const auto traffic = server->messenger.traffic(0, server->control.kind(ControlMessage::drained) + 1);
    // Four messages down, and each message once to oneself; that it rests, so it does still, and that it has
    // saved.
    EXPECT_LE(traffic.sent, 4u * (messaging::tree_width + 1u) + 4u);
    EXPECT_LE(traffic.handled, 4u + 1u + 3u * messaging::tree_width);
  }
}

TEST(SnapshotBarrier, is_given_up_at_any_moment) {
  for (unsigned turns = 0; turns < 60; ++turns) {
    Servers servers(20, 1, turns + 1);
    for (unsigned turn = 0; turn < turns; ++turn)
      for (const auto& server : servers.all) {
        if (turn == turns / 3) server->cut->ask({3, 0.5}, {});
        server->messenger.progress();
        servers.do_work(*server);
        server->cut->progress(true);
      }
    for (const auto& server : servers.all) server->cut->give_up();
    for (int turn = 0; turn < 200; ++turn)
      for (const auto& server : servers.all) server->messenger.progress();
    for (const auto& server : servers.all) EXPECT_LE(server->saves.size(), 1u);
  }
}

}  // namespace
}  // namespace tailrace::pipeline::checkpoints
