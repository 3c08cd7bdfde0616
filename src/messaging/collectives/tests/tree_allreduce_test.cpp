#include "messaging/collectives/tree_allreduce.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "messaging/collectives/tree_place.hpp"
#include "messaging/testing/memory_network.hpp"

namespace tailrace::messaging {
namespace {

// Each server contributes its number; the result is their sum.
struct Server {
  std::unique_ptr<comm::Communicator> communicator;
  std::unique_ptr<Messenger> messenger;
  std::unique_ptr<TreeAllreduce> muster;
  std::int64_t sum = 0, sum_of_all = -1;
  bool alive = true;
};

Bytes bytes_of(std::int64_t value) {
  base::ByteWriter writer;
  writer.put(value);
  return writer.take();
}

std::int64_t value_in(const Bytes& bytes) { return base::ByteReader(bytes).get<std::int64_t>(); }

struct Servers {
  testing::MemoryNetwork network;
  std::vector<std::unique_ptr<Server>> all;

  explicit Servers(int count) : network(count, 1) {
    for (int rank = 0; rank < count; ++rank) {
      Server& one = *all.emplace_back(std::make_unique<Server>());
      one.communicator = network.rank(rank);
      one.messenger = std::make_unique<Messenger>(*one.communicator);
      one.muster = std::make_unique<TreeAllreduce>(
          *one.messenger, TreeAllreduce::Kinds{1, 2, 3},
          TreeAllreduce::Callbacks{[&one](const Bytes& said) { one.sum += value_in(said); },
                                   [&one] { return bytes_of(one.sum); },
                                   [&one](const Bytes& said) { one.sum_of_all = value_in(said); }});
    }
  }
  Server& at(int rank) { return *all[base::index(rank)]; }
  void say(int rank) { at(rank).muster->say(bytes_of(rank)); }
  // Messages to a lost server stay under way.
  void settle() {
    for (int quiet = 0; quiet < 30; ++quiet)  // the network takes its time
      for (const auto& one : all)
        if (one->alive && one->messenger->progress()) quiet = 0;
  }
  // The largest number of messages that a server has sent and handled.
  std::uint64_t most_messages() const {
    std::uint64_t most = 0;
    for (const auto& one : all) {
      const auto traffic = one->messenger->traffic(1, 4);
      most = std::max({most, traffic.sent, traffic.handled});
    }
    return most;
  }
  int over() const {
    return static_cast<int>(std::ranges::count_if(all, [](const auto& one) { return one->muster->over(); }));
  }
};

TEST(MusterOfManyServers, costs_none_of_them_more_than_a_few_messages) {
  for (const int count : {1, 2, 17, 328}) {
    Servers servers(count);
    for (int rank = count; rank-- > 1;) servers.say(rank);
    servers.settle();
    EXPECT_EQ(servers.over(), 0);
    servers.say(0);
    servers.settle();
    EXPECT_EQ(servers.over(), count);
    for (const auto& one : servers.all) EXPECT_EQ(one->sum_of_all, std::int64_t{count} * (count - 1) / 2);
    EXPECT_LE(servers.most_messages(), tree_width + 2u);
  }
}

// Any server may be lost at any time: before or after it, its parent or its children contributed.
TEST(TreeAllreduce, ends_without_a_server_that_is_lost) {
  constexpr int count = 40;
  for (const int lost : {0, 1, 3, 5, 39}) {
    for (const bool has_said : {false, true}) {
      for (const int late : {0, 1, 4, 6, 38}) {
        if (late == lost) continue;
        Servers servers(count);
        for (int rank = 0; rank < count; ++rank)
          if (rank != late && (rank != lost || has_said)) servers.say(rank);
        servers.settle();
        servers.at(lost).alive = false;
        for (int rank = 0; rank < count; ++rank) {
          if (rank == lost) continue;
          if (rank != late) servers.at(rank).messenger->forget(lost);
          if (rank != late) servers.at(rank).muster->lose(lost);
          if (rank % 7 == 0) servers.settle();
        }
        EXPECT_EQ(servers.over() - (servers.at(lost).muster->over() ? 1 : 0), 0) << "one is missing";
        servers.say(late);
        servers.at(late).messenger->forget(lost);
        servers.at(late).muster->lose(lost);
        servers.settle();
        for (int rank = 0; rank < count; ++rank) {
          EXPECT_TRUE(rank == lost || servers.at(rank).muster->over())
              << rank << " without " << lost << ", late " << late;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tailrace::messaging
