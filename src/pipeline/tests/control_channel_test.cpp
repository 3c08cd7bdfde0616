// Tests the messages between the servers of a large run, other than blocks of data.
#include "pipeline/control/control_channel.hpp"

#include <gmock/gmock.h>

#include <memory>

#include "messaging/collectives/tree_place.hpp"
#include "messaging/testing/memory_network.hpp"
#include "pipeline/component_lifecycle.hpp"
#include "pipeline/graceful_shutdown.hpp"

namespace tailrace::pipeline {
namespace {

// Counts what one server sends.
class Counted final : public comm::Communicator {
 public:
  Counted(std::unique_ptr<comm::Communicator> inner, std::size_t& sent)
      : inner_(std::move(inner)), sent_(sent) {}
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, int to, int tag) override {
    ++sent_;
    return inner_->send(bytes, to, tag);
  }
  std::optional<comm::Incoming> probe(int source, int tag) override { return inner_->probe(source, tag); }
  void receive(std::span<std::byte> bytes, int source, int tag) override {
    inner_->receive(bytes, source, tag);
  }
  std::unique_ptr<comm::Request> start_receive(std::span<std::byte> bytes, int source, int tag) override {
    return inner_->start_receive(bytes, source, tag);
  }
  void barrier() override { inner_->barrier(); }
  std::vector<std::byte> broadcast(std::span<const std::byte> bytes, int root) override {
    return inner_->broadcast(bytes, root);
  }
  bool any_says(bool yes) override { return inner_->any_says(yes); }
  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) override {
    return inner_->all_gather(bytes);
  }
  std::unique_ptr<Communicator> split(int colour, int key) override { return inner_->split(colour, key); }
  std::unique_ptr<Communicator> duplicate() override { return inner_->duplicate(); }
  int handle() const override { return inner_->handle(); }
  std::unique_ptr<comm::Request> start_all_gather(std::span<const std::byte> bytes,
                                                  std::span<const int> counts,
                                                  std::span<std::byte> all) override {
    return inner_->start_all_gather(bytes, counts, all);
  }

 private:
  std::unique_ptr<comm::Communicator> inner_;
  std::size_t& sent_;
};

struct Server {
  std::size_t sent = 0;
  std::unique_ptr<comm::Communicator> communicator;
  std::unique_ptr<messaging::Messenger> messenger;
  std::unique_ptr<ControlChannel> control;
  std::unique_ptr<ComponentLifecycle> life;
  std::unique_ptr<GracefulShutdown> ending;
  std::vector<std::int64_t> steps;
  std::vector<std::string> faults, fatal;
  int stops = 0;
  std::vector<std::int64_t> cuts;
  bool ended = false;
};

struct Servers {
  messaging::testing::MemoryNetwork network;
  std::vector<std::unique_ptr<Server>> all;

  Servers(int count, int leader) : network(count, 1) {
    for (int rank = 0; rank < count; ++rank) {
      Server& server = *all.emplace_back(std::make_unique<Server>());
      server.communicator = std::make_unique<Counted>(network.rank(rank), server.sent);
      server.messenger = std::make_unique<messaging::Messenger>(*server.communicator);
      server.control = std::make_unique<ControlChannel>(*server.messenger, 1);
      server.life = std::make_unique<ComponentLifecycle>(
          *server.control, leader,
          ComponentLifecycle::Events{
              .step =
                  [&server](const model::Tick& tick) {
                    EXPECT_FALSE(server.ended) << "the last word comes last";
                    server.steps.push_back(tick.step);
                  },
              .last_step = [&server] { server.ended = true; },
              .files = {},
              .fault = [&server](const base::Fault& fault) { server.faults.push_back(fault.message); },
              .fatal = [&server](const base::Fault& fault) { server.fatal.push_back(fault.message); }});
      server.life->start();
      server.ending = std::make_unique<GracefulShutdown>(
          *server.control, leader,
          GracefulShutdown::Events{
              .stop = [&server] { ++server.stops; },
              .commit = [](const model::Tick&) {},
              .cut = [&server](const model::Tick& tick) { server.cuts.push_back(tick.step); }});
    }
  }
  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& server : all)
        moved = server->messenger->progress() || !server->messenger->idle() || moved;
    }
  }
};

TEST(WordsOfManyServers, a_step_costs_each_of_them_a_few_messages) {
  constexpr std::int64_t steps = 5;
  for (const int leader : {0, 200}) {
    Servers servers(328, leader);
    for (std::int64_t step = 1; step <= steps; ++step)
      for (const auto& server : servers.all)
        server->life->announce_step({step, 0.5 * static_cast<double>(step)});
    for (const auto& server : servers.all) server->life->announce_last_step();
    servers.settle();
    for (const auto& server : servers.all) {
      EXPECT_THAT(server->steps, testing::ElementsAre(1, 2, 3, 4, 5));
      EXPECT_TRUE(server->ended);
      EXPECT_LE(server->sent, static_cast<std::size_t>((steps + 1) * messaging::tree_width));
    }
  }
}

TEST(WordsOfManyServers, the_end_of_a_component_costs_each_of_them_a_few_messages) {
  Servers servers(328, 200);
  for (const auto& server : servers.all) server->life->announce_closed();
  servers.settle();
  for (const auto& server : servers.all) {
    EXPECT_TRUE(server->life->closed_everywhere());
    EXPECT_LE(server->sent, messaging::tree_width + 1u);
  }
}

TEST(WordsOfManyServers, news_of_any_of_them_reach_all_by_a_few_messages_of_each) {
  Servers servers(328, 0);
  std::vector<int> heard(servers.all.size(), 0);
  for (std::size_t server = 0; server < heard.size(); ++server)
    servers.all[server]->control->on_broadcast_from_any(ControlMessage::written,
                                                        [&heard, server](const messaging::Bytes& message) {
                                                          EXPECT_EQ(message, messaging::Bytes(3));
                                                          ++heard[server];
                                                        });
  servers.all[77]->control->broadcast_from_any(ControlMessage::written, messaging::Bytes(3));
  servers.settle();
  EXPECT_THAT(heard, testing::Each(1));
  for (const auto& server : servers.all)
    EXPECT_LE(server->sent, static_cast<std::size_t>(messaging::tree_width));
}

// As where a batch system ends a job, or a disk is full: each comes to the same by itself.
TEST(WordsOfManyServers, a_signal_to_all_of_them_costs_each_a_few_messages) {
  Servers servers(300, 200);
  for (const auto& server : servers.all) server->ending->request({"ended by a test", 1.0, 2.0});
  servers.settle();
  for (const auto& server : servers.all) {
    EXPECT_EQ(server->stops, 1);
    EXPECT_LE(server->sent, messaging::tree_width + 1u);
    EXPECT_FALSE(server->ending->others_have_stopped());
    server->sent = 0;
  }
  for (std::size_t rank = 0; rank < servers.all.size(); ++rank)
    if (rank % 3 == 0)
      servers.all[rank]->ending->announce_complete();
    else
      servers.all[rank]->ending->announce_complete({700 - static_cast<std::int64_t>(rank % 251), 1.0});
  servers.settle();
  for (const auto& server : servers.all) {
    EXPECT_THAT(server->cuts, testing::ElementsAre(450)) << "the smallest of 700 - rank % 251";
    EXPECT_TRUE(server->ending->others_have_stopped());
    // A server reports that it stopped and its last step, and forwards the leader's last step.
    EXPECT_LE(server->sent, 3u * (messaging::tree_width + 1u));
  }
}

TEST(WordsOfManyServers, what_is_fatal_on_all_of_them_costs_each_a_few_messages) {
  Servers servers(300, 0);
  for (const auto& server : servers.all) server->life->fail({ErrorCode::resource, "no room"});
  servers.settle();
  for (const auto& server : servers.all) {
    EXPECT_THAT(server->fatal, testing::ElementsAre("no room"));
    EXPECT_LE(server->sent, messaging::tree_width + 1u);
  }
}

// In whichever order the fault and the end arrive, all servers know of the fault, once, when they learn that
// all have closed.
TEST(WordsOfManyServers, faults_come_at_the_latest_with_the_last_word) {
  Servers servers(328, 0);
  for (const std::size_t rank : {7U, 320U})
    servers.all[rank]->control->tell({ErrorCode::resource, "of " + std::to_string(rank)});
  for (const auto& server : servers.all) server->life->announce_closed();
  for (bool all_closed = false; !all_closed;) {
    all_closed = true;
    for (const auto& server : servers.all) {
      server->messenger->progress();
      all_closed = all_closed && server->life->closed_everywhere();
      if (server->life->closed_everywhere()) {
        EXPECT_THAT(server->faults, testing::UnorderedElementsAre("of 7", "of 320"));
      }
    }
  }
  servers.settle();
  for (const auto& server : servers.all) {
    EXPECT_EQ(server->faults.size(), 2U);
    EXPECT_LE(server->sent, 2u * messaging::tree_width + messaging::tree_width + 1u);
  }
}

}  // namespace
}  // namespace tailrace::pipeline
