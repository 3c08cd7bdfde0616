// All servers of a run in one thread, with their active messages, for unit tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "messaging/active_messages/active_messages.hpp"
#include "messaging/testing/memory_network.hpp"

namespace tailrace::messaging::testing {

inline constexpr std::int32_t kind = 7;

inline std::string tell(const Name& name) {
  return "diagnostic " + std::to_string(name.what) + " at step " + std::to_string(name.round);
}

struct Servers {
  MemoryNetwork network;
  struct Server {
    std::unique_ptr<comm::Communicator> communicator;
    std::unique_ptr<Messenger> messenger;
    std::unique_ptr<ActiveMessages> messages;
    std::optional<std::string> unmatched;
  };
  std::vector<Server> servers;

  explicit Servers(int size, unsigned seed = 1, int most_delay = 3) : network(size, seed, most_delay) {
    servers.resize(static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
      Server& server = servers[base::index(rank)];
      server.communicator = network.rank(rank);
      server.messenger = std::make_unique<Messenger>(*server.communicator);
      server.messages = std::make_unique<ActiveMessages>(*server.messenger, kind, tell);
    }
  }
  int size() const { return static_cast<int>(servers.size()); }
  ActiveMessages& operator[](int rank) { return *servers[base::index(rank)].messages; }
  bool progress() {
    bool moved = false;
    for (Server& server : servers) {
      moved = server.messenger->progress() || moved;
      moved = server.messages->progress() || moved || !server.messenger->idle();
    }
    return moved;
  }
  // Until nothing moves any more.
  void settle() {
    for (int quiet = 0, rounds = 0; quiet < 20; ++rounds) {
      ASSERT_LT(rounds, 100000);
      quiet = progress() ? 0 : quiet + 1;
    }
  }
  void finish(int rank) {
    servers[base::index(rank)].messages->finish([this, rank](const std::string& text) {
      auto& unmatched = servers[base::index(rank)].unmatched;
      EXPECT_FALSE(unmatched) << "told twice";
      unmatched = text;
    });
  }
  // All finish, and receive the same verdict.
  std::string finish() {
    for (int rank = 0; rank < size(); ++rank) finish(rank);
    settle();
    for (Server& server : servers) {
      EXPECT_TRUE(server.unmatched.has_value()) << "never told";
      EXPECT_EQ(server.unmatched, servers[0].unmatched);
    }
    return servers[0].unmatched.value_or("never told");
  }
};

}  // namespace tailrace::messaging::testing
