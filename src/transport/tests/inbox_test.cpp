// Many senders by messages, one receiver, all played in one thread.
#include <gmock/gmock.h>

#include "base/index.hpp"
#include "messaging/testing/memory_network.hpp"
#include "transport/endpoints.hpp"
#include "transport/mpi/mpi_consumer.hpp"
#include "transport/receive_budget.hpp"

namespace tailrace::transport {
namespace {

using messaging::testing::MemoryNetwork;

constexpr int tag = 100;
constexpr int clients = 20;

struct Channels {
  MemoryNetwork network{clients + 1, 3, 0};  // the last rank receives; nothing is delayed
  std::unique_ptr<comm::Communicator> server = network.rank(clients);
  std::vector<std::unique_ptr<comm::Communicator>> ranks;
  std::unique_ptr<Doorbell> doorbell = make_heap_doorbell();
  std::vector<std::unique_ptr<Producer>> producers;
  std::vector<std::unique_ptr<Consumer>> consumers;

  Channels() {
    std::shared_ptr<PollGroup> company;
    for (int client = 0; client < clients; ++client) {
      ranks.push_back(network.rank(client));
      BufferOptions options;
      options.bytes = 1 << 16;
      auto end = mpi::make_producer(*ranks.back(), clients, tag, options);
      producers.push_back(std::move(end.producer));
      consumers.push_back(accept(end.invitation, *server, client, *doorbell));
      consumers.back()->join(company);
    }
  }
  void put(int client, std::int32_t number, std::size_t bytes = 8) {
    Producer& producer = *producers[base::index(client)];
    producer.reserve(bytes);
    producer.publish({model::PacketKind::block, number, 0, 0.0});
    producer.flush();
  }
  // The numbers that came from each client in a round over all.
  std::vector<std::vector<std::int32_t>> take_all() {
    std::vector<std::vector<std::int32_t>> taken;
    for (const auto& consumer : consumers) {
      std::vector<Packet> packets;
      consumer->take(packets, 100, 1 << 20);
      taken.emplace_back();
      for (const Packet& packet : packets) {
        taken.back().push_back(packet.header.number);
        consumer->release(packet.sequence);
      }
    }
    return taken;
  }
};

TEST(Inbox, OneProbeLooksForAllSenders) {
  Channels channels;
  channels.take_all();
  const int before = channels.network.probes();
  for (int round = 0; round < 10; ++round) channels.take_all();
  EXPECT_EQ(channels.network.probes() - before, 10);
}

TEST(Inbox, EachConsumerGetsWhatItsSenderSent) {
  Channels channels;
  for (int client = 0; client < clients; ++client)
    for (int i = 0; i <= client % 3; ++i) channels.put(client, 10 * client + i);
  std::vector<std::vector<std::int32_t>> all(clients);
  for (int round = 0; round < 3; ++round) {
    const auto taken = channels.take_all();
    for (std::size_t client = 0; client < all.size(); ++client)
      all[client].insert(all[client].end(), taken[client].begin(), taken[client].end());
  }
  for (int client = 0; client < clients; ++client) {
    std::vector<std::int32_t> sent;
    for (int i = 0; i <= client % 3; ++i) sent.push_back(10 * client + i);
    EXPECT_EQ(all[base::index(client)], sent) << client;
  }
}

TEST(Inbox, OneThatEndsLeavesTheOthersTheirMessages) {
  Channels channels;
  channels.consumers.erase(channels.consumers.begin() + 4);
  channels.put(7, 70);
  const auto taken = channels.take_all();
  EXPECT_THAT(taken[6], testing::ElementsAre(70));
}

// A client that nobody asks may be ahead of the step that is worked on: the room that its message took would
// come back only after the others' messages, which wait for that room.
TEST(Inbox, OneThatIsNotAskedTakesNoRoomFromTheOthers) {
  ReceiveBudget room(2000);
  Channels channels;
  for (const auto& consumer : channels.consumers) consumer->receive_into(room);
  constexpr std::size_t large = 900;
  channels.put(2, 20, large);
  channels.put(5, 50, large);
  channels.put(5, 51, large);
  Consumer& asked = *channels.consumers[5];
  for (const std::int32_t number : {50, 51}) {
    std::vector<Packet> packets;
    asked.take(packets, 100, 1 << 20);
    ASSERT_EQ(packets.size(), 1U) << number;
    EXPECT_EQ(packets[0].header.number, number);
    asked.release(packets[0].sequence);
  }
  std::vector<Packet> packets;
  channels.consumers[2]->take(packets, 100, 1 << 20);
  ASSERT_EQ(packets.size(), 1U);
  channels.consumers[2]->release(packets[0].sequence);
  channels.consumers.clear();  // before the room
}

}  // namespace
}  // namespace tailrace::transport
