#include "handshake/failure_detection/death_listener.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/index.hpp"
#include "env/clock.hpp"
#include "handshake/failure_detection/failed_servers.hpp"

namespace tailrace::handshake {
namespace {

// Model ranks first, then servers; `servers_of` by model rank.
Run run_of(std::vector<int> nodes, std::vector<int> servers_of, int servers) {
  Run run;
  run.nodes = nodes;
  for (int server = 0; server < servers; ++server) {
    run.assignment.servers.push_back(static_cast<int>(servers_of.size()));
    servers_of.push_back(-1);
  }
  run.assignment.server_of = servers_of;
  return run;
}

TEST(DeathListener, is_watched_by_its_clients_on_other_nodes) {
  const handshake::Run run = run_of({0, 0, 1, 2, 1}, {0, 0, 0, 0}, 1);
  EXPECT_EQ(remote_clients_of(run, 0), (std::vector<int>{0, 1, 3}));
  EXPECT_TRUE(watching_peers_of(run, 0).empty());
}

TEST(DeathListener, is_watched_by_two_servers_on_other_nodes_if_possible_on_two) {
  const handshake::Run run = run_of({9, 0, 0, 1, 1, 2}, {0}, 5);
  EXPECT_EQ(watching_peers_of(run, 0), (std::vector<int>{2, 4}));
  EXPECT_EQ(watching_peers_of(run, 2), (std::vector<int>{4, 0}));
  EXPECT_EQ(watching_peers_of(run, 4), (std::vector<int>{0, 2}));
  const handshake::Run two = run_of({9, 0, 0, 0, 1}, {0}, 4);
  EXPECT_EQ(watching_peers_of(two, 3), (std::vector<int>{0, 1}));
  EXPECT_EQ(watching_peers_of(two, 0), (std::vector<int>{3}));
}

// However many servers: each watches a few, and none of its own node.
TEST(DeathListener, is_watched_by_two_servers_at_any_number_of_servers) {
  for (const int servers : {1000, 4001}) {
    std::vector<int> nodes{0};
    for (int server = 0; server < servers; ++server) nodes.push_back(server / 3);
    const handshake::Run run = run_of(nodes, {0}, servers);
    std::vector<int> watches(static_cast<std::size_t>(servers), 0);
    for (int server = 0; server < servers; ++server) {
      const std::vector<int> peers = watching_peers_of(run, server);
      EXPECT_EQ(peers.size(), 2u);
      for (const int peer : peers) {
        EXPECT_NE(peer / 3, server / 3);
        ++watches[base::index(peer)];
      }
    }
    EXPECT_LE(*std::ranges::max_element(watches), 6);
  }
}

TEST(DeathListener, does_not_listen_when_all_ranks_are_on_its_node) {
  const handshake::Run run = run_of({0, 0, 0}, {0, 0}, 1);
  const DeathListener watched(run, 0);
  EXPECT_EQ(watched.address_for(0).port, 0);
}

TEST(DeathListener, has_an_address_for_the_first_of_many_clients_only) {
  const std::size_t clients = most_watching_clients + 3;
  std::vector<int> nodes(clients, 0);
  nodes.push_back(1);
  const handshake::Run run = run_of(nodes, std::vector<int>(clients, 0), 1);
  const DeathListener watched(run, 0);
  EXPECT_NE(watched.address_for(0).port, 0);
  EXPECT_NE(watched.address_for(static_cast<int>(most_watching_clients) - 1).port, 0);
  EXPECT_EQ(watched.address_for(static_cast<int>(most_watching_clients)).port, 0);
}

TEST(DeathListener, stops_listening_when_all_are_connected_and_closing_the_listener_is_no_failure) {
  const handshake::Run run = run_of({0, 0, 1}, {0, 0}, 1);
  std::optional<DeathListener> watched(std::in_place, run, 0);
  FailedServers first(run, 0), second(run, 1);
  base::ByteWriter writer;
  put_address(writer, watched->address_for(0));
  const std::vector<std::byte> bytes = writer.take();
  base::ByteReader reader(bytes);
  first.watch({0, env::Lifeline(get_address(reader), 0)});
  second.watch({0, env::Lifeline(watched->address_for(1), 1)});
  for (const double end = env::steady_seconds() + 5.0; env::steady_seconds() < end; usleep(1000)) {
    watched->accept();
    EXPECT_TRUE(first.check().empty() && second.check().empty());
    if (!watched->awaits_watchers()) break;
  }
  usleep(300000);
  EXPECT_TRUE(first.check().empty() && second.check().empty());
  EXPECT_TRUE(first.is_watched(0) && second.is_watched(0));
  FailedServers late(run, 1);
  late.watch({0, env::Lifeline(watched->address_for(1), 1)});
  for (const double end = env::steady_seconds() + 5.0; late.is_watched(0) && env::steady_seconds() < end;
       usleep(1000))
    late.check();
  EXPECT_FALSE(late.is_watched(0));
  watched.reset();
  usleep(300000);
  EXPECT_TRUE(first.check().empty());
}

}  // namespace
}  // namespace tailrace::handshake
