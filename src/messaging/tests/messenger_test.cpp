#include "messaging/messenger.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "messaging/testing/memory_network.hpp"

namespace tailrace::messaging {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MemoryNetwork;

Bytes text(const std::string& describer) {
  const auto bytes = std::as_bytes(std::span(describer));
  return {bytes.begin(), bytes.end()};
}
std::string describer(const Bytes& bytes) {
  std::string text(bytes.size(), ' ');
  std::transform(bytes.begin(), bytes.end(), text.begin(), [](std::byte b) { return static_cast<char>(b); });
  return text;
}

TEST(Messenger, AMessageToOneselfIsHandledInTheNextProgress) {
  const auto communicator = comm::serial();
  Messenger messenger(*communicator);
  std::vector<std::string> heard;
  messenger.on(
      4, [&](int from, Bytes&& message) { heard.push_back(std::to_string(from) + describer(message)); });
  messenger.send(0, 4, text("a"));
  messenger.send(0, 4, text(""));
  EXPECT_THAT(heard, IsEmpty());
  EXPECT_FALSE(messenger.idle());
  EXPECT_TRUE(messenger.progress());
  EXPECT_THAT(heard, ElementsAre("0a", "0"));
  EXPECT_TRUE(messenger.idle());
  EXPECT_FALSE(messenger.progress());
}

TEST(Messenger, AHandlerMaySend) {
  const auto communicator = comm::serial();
  Messenger messenger(*communicator);
  int left = 3;
  messenger.on(0, [&](int, Bytes&&) {
    if (--left > 0) messenger.send(0, 0, {});
  });
  messenger.send(0, 0, {});
  EXPECT_TRUE(messenger.progress());
  EXPECT_EQ(left, 2) << "not within the same progress, which would never end";
  while (messenger.progress()) {
  }
  EXPECT_EQ(left, 0);
}

TEST(Messenger, LeavesWithTheSenderWhatItHasNoRoomFor) {
  MemoryNetwork network(2, 7, 0);
  const auto there = network.rank(0), here = network.rank(1);
  Messenger sender(*there), receiver(*here);
  std::string heard;
  receiver.on(1, [&](int, Bytes&& message) { heard += describer(message); });
  bool room = true;
  receiver.receive_while([&] { return std::exchange(room, false); });  // for one
  sender.send(1, 1, text("first"));
  sender.send(1, 1, text("second"));
  const auto progress = [&] {
    for (int turns = 0; turns < 10; ++turns) {
      receiver.progress();
      sender.progress();
    }
  };
  progress();
  EXPECT_EQ(heard, "first");
  EXPECT_EQ(sender.bytes_in_flight(), 6U + Messenger::tail_bytes);
  EXPECT_EQ(receiver.bytes_arriving(), 0U);
  room = true;
  progress();
  EXPECT_EQ(heard, "firstsecond");
  EXPECT_EQ(sender.bytes_in_flight(), 0U);
}

TEST(Messenger, AKindHasOneHandler) {
  const auto communicator = comm::serial();
  Messenger messenger(*communicator);
  messenger.on(1, [](int, Bytes&&) {});
  EXPECT_THROW(messenger.on(1, [](int, Bytes&&) {}), Error);
}

TEST(Messenger, KeepsMessagesUntilTheirHandlerIsSet) {
  const auto communicator = comm::serial();
  Messenger messenger(*communicator);
  messenger.send(0, 9, text("early"));
  messenger.progress();
  std::string heard;
  messenger.on(9, [&](int, Bytes&& message) { heard += describer(message); });
  messenger.send(0, 9, text(" late"));
  while (messenger.progress()) {
  }
  EXPECT_EQ(heard, "early late");
}

// As a slab it needs no copy on either side; to the handler it is a message like any other.
TEST(Messenger, ASlabIsAMessageWithRoomForItsKind) {
  MemoryNetwork network(2, 3);
  const auto first = network.rank(0), second = network.rank(1);
  Messenger from(*first), to(*second);
  std::vector<std::string> heard;
  base::SharedBytes kept;
  for (Messenger* messenger : {&from, &to}) {
    messenger->on(1, [&](int, Bytes&& message) { heard.push_back(describer(message)); });
    messenger->on_shared(2, [&](int, base::SharedBytes message) { kept = std::move(message); });
  }
  const auto send = [&](int rank, std::int32_t kind) {
    base::Slab slab = from.slabs().take(5 + Messenger::tail_bytes);
    std::memcpy(slab.data(), "slabs", 5);
    from.send_slab(rank, kind, std::move(slab));
  };
  for (const int rank : {0, 1}) send(rank, 1);
  send(1, 2);
  for (int i = 0; i < 100; ++i) from.progress(), to.progress();
  EXPECT_THAT(heard, ElementsAre("slabs", "slabs"));
  EXPECT_EQ(describer(kept.copy()), "slabs");
  EXPECT_THROW(from.send_slab(1, 1, from.slabs().take(Messenger::tail_bytes - 1)), Error);
}

struct Servers {
  MemoryNetwork network;
  std::vector<std::unique_ptr<comm::Communicator>> communicators;
  std::vector<std::unique_ptr<Messenger>> messengers;

  Servers(int size, unsigned seed, int most_delay = 5) : network(size, seed, most_delay) {
    for (int rank = 0; rank < size; ++rank) {
      communicators.push_back(network.rank(rank));
      messengers.push_back(std::make_unique<Messenger>(*communicators.back()));
    }
  }
  Messenger& operator[](int rank) { return *messengers[base::index(rank)]; }
  bool all_idle() const {
    return std::ranges::all_of(messengers, [](const auto& messenger) { return messenger->idle(); });
  }
  void run() {
    for (int rounds = 0; rounds < 100000; ++rounds) {
      for (const auto& messenger : messengers) messenger->progress();
      if (all_idle()) return;
    }
    FAIL() << "never idle";
  }
};

class Network : public ::testing::TestWithParam<unsigned> {};

// Everybody sends numbers of two kinds to everybody, itself included; each pair's arrive in order, each once.
TEST_P(Network, KeepsTheOrderOfEachPair) {
  constexpr int size = 4, each = 50;
  Servers servers(size, GetParam());
  std::mt19937 random(GetParam());
  std::map<std::pair<int, int>, std::vector<int>> heard;  // from, to
  for (int to = 0; to < size; ++to)
    for (const std::int32_t kind : {1, 2})
      servers[to].on(kind, [&heard, to, kind](int from, Bytes&& message) {
        base::ByteReader reader(message);
        const int number = reader.get<int>();
        EXPECT_EQ(number % 2 + 1, kind);
        EXPECT_EQ(reader.rest().size(), static_cast<std::size_t>(number));
        heard[{from, to}].push_back(number);
      });
  for (int number = 0; number < each; ++number) {
    for (int from = 0; from < size; ++from) {
      for (int to = 0; to < size; ++to) {
        base::ByteWriter writer;
        writer.put(number);
        writer.put_bytes(std::vector<std::byte>(static_cast<std::size_t>(number)));
        servers[from].send(to, number % 2 + 1, writer.take());
      }
    }
    if (random() % 3 == 0) servers[static_cast<int>(random() % size)].progress();
  }
  servers.run();
  std::vector<int> all(each);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(heard.size(), static_cast<std::size_t>(size * size));
  for (const auto& [pair, numbers] : heard) EXPECT_EQ(numbers, all) << pair.first << " to " << pair.second;
}

// The handler of one kind sets the handler of another while messages of that kind are kept and more are on
// their way.
TEST_P(Network, KeptMessagesGoBeforeThoseThatArriveLater) {
  Servers servers(2, GetParam(), 2);
  constexpr std::int32_t numbers = 1, set_up = 2;
  std::vector<int> heard;
  servers[1].on(set_up, [&](int, Bytes&&) {
    servers[1].on(numbers, [&](int, Bytes&& message) { heard.push_back(std::to_integer<int>(message[0])); });
  });
  for (int number = 0; number < 6; ++number) {
    if (number == 3) servers[0].send(1, set_up, {});
    servers[0].send(1, numbers, {std::byte(number)});
  }
  servers.run();
  EXPECT_THAT(heard, ElementsAre(0, 1, 2, 3, 4, 5));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Network, ::testing::Range(1U, 11U));

TEST(Messenger, ALargeMessageThatNobodyTakesHoldsNothingUp) {
  MemoryNetwork network(3, 1, 0);
  const auto sender = network.rank(0), idle = network.rank(1), other = network.rank(2);
  Messenger messenger(*sender), talker(*other);
  std::vector<std::string> heard;
  messenger.on(5, [&](int, Bytes&& message) { heard.push_back(describer(message)); });
  talker.on(6, [&](int, Bytes&& message) { heard.push_back(describer(message)); });
  messenger.send(1, 5, Bytes(std::size_t{32} << 20));  // rank 1 looks for nothing
  talker.send(0, 5, text("in"));
  messenger.progress();
  messenger.send(2, 6, text("out"));
  talker.progress();
  EXPECT_THAT(heard, ElementsAre("in", "out"));
  EXPECT_GT(messenger.bytes_in_flight(), std::size_t{32} << 20);
  messenger.forget(1);
}

TEST(Messenger, CountsWhatTheOtherSideHasNotTakenOver) {
  Servers servers(2, 1, 0);
  servers[1].on(0, [](int, Bytes&&) {});
  servers[0].send(1, 0, text("12345678"));
  EXPECT_GE(servers[0].bytes_in_flight(), 8U);
  EXPECT_FALSE(servers[0].idle());
  EXPECT_FALSE(servers[0].progress()) << "nothing has moved yet";
  EXPECT_TRUE(servers[1].progress());
  EXPECT_FALSE(servers[0].idle()) << "nobody has looked";
  EXPECT_TRUE(servers[0].progress());
  EXPECT_EQ(servers[0].bytes_in_flight(), 0U);
  EXPECT_TRUE(servers[0].idle());
}

TEST(Messenger, WhatIsUnderWayToARankThatIsLostKeepsNobody) {
  MemoryNetwork network(3, 1, 0);
  const auto rank = network.rank(0);
  Messenger messenger(*rank);
  messenger.send(1, 0, text("never taken"));
  messenger.send(2, 0, text("will be"));
  messenger.progress();
  const std::size_t both = messenger.bytes_in_flight();
  messenger.forget(1);
  EXPECT_LT(messenger.bytes_in_flight(), both);
  EXPECT_FALSE(messenger.idle()) << "rank 2 is still there";
  messenger.forget(2);
  messenger.send(1, 0, text("dropped"));
  EXPECT_EQ(messenger.bytes_in_flight(), 0u);
  EXPECT_TRUE(messenger.idle());
}

}  // namespace
}  // namespace tailrace::messaging
