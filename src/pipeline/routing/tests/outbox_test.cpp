#include "pipeline/routing/outbox.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "messaging/testing/memory_network.hpp"

namespace tailrace::pipeline::routing {
namespace {

using testing::ElementsAre;

constexpr std::int32_t bundle_kind = 40, small_item = 0, large_item = 1;

std::vector<std::byte> numbered(int number) {
  base::ByteWriter writer;
  writer.put(number);
  return writer.take();
}

void add(Outbox& outbox, int to, std::int32_t kind, std::span<const std::byte> head,
         std::span<const std::byte> body) {
  outbox.add(to, kind, head, body.size(),
             [&](std::span<std::byte> place) { std::ranges::copy(body, place.begin()); });
}

// Two servers, each with a messenger and an outbox.
struct Pair {
  messaging::testing::MemoryNetwork network{2, 7};
  std::unique_ptr<comm::Communicator> ranks[2] = {network.rank(0), network.rank(1)};
  messaging::Messenger messengers[2] = {messaging::Messenger(*ranks[0]), messaging::Messenger(*ranks[1])};
  Outbox outboxes[2] = {{messengers[0], bundle_kind}, {messengers[1], bundle_kind}};

  void deliver() {
    for (int i = 0; i < 1000; ++i)
      for (messaging::Messenger& messenger : messengers) messenger.progress();
  }
};

TEST(Outbox, BringsItemsInOrderToTheHandlerOfTheirKind) {
  Pair pair;
  std::vector<std::string> heard;
  for (const std::int32_t kind : {small_item, large_item})
    pair.outboxes[1].on(kind, [&heard, kind](std::span<const std::byte> item) {
      base::ByteReader reader(item);
      const int number = reader.get<int>();
      heard.push_back(std::to_string(kind) + ":" + std::to_string(number) + "+" +
                      std::to_string(reader.rest().size()));
    });
  for (int i = 0; i < 3; ++i)
    add(pair.outboxes[0], 1, i % 2 == 0 ? small_item : large_item, numbered(i),
        std::vector<std::byte>(static_cast<std::size_t>(i)));
  EXPECT_GT(pair.outboxes[0].bytes(), 3 * sizeof(int));
  EXPECT_TRUE(pair.outboxes[0].send(true));
  EXPECT_EQ(pair.outboxes[0].bytes(), 0U);
  EXPECT_FALSE(pair.outboxes[0].send(true));
  pair.deliver();
  EXPECT_THAT(heard, ElementsAre("0:0+0", "1:1+1", "0:2+2"));
}

TEST(Outbox, ReachesOneselfToo) {
  const auto communicator = comm::serial();
  messaging::Messenger messenger(*communicator);
  Outbox outbox(messenger, bundle_kind);
  int heard = 0;
  outbox.on(small_item, [&](std::span<const std::byte> item) { heard = base::ByteReader(item).get<int>(); });
  add(outbox, 0, small_item, numbered(6), {});
  outbox.send(true);
  messenger.progress();
  EXPECT_EQ(heard, 6);
}

TEST(Outbox, KeepsSmallBundlesUntilTheyAreWorthIt) {
  Pair pair;
  std::size_t arrived = 0;
  for (Outbox& outbox : pair.outboxes)
    outbox.on(large_item, [&](std::span<const std::byte> item) { arrived += item.size(); });
  const std::vector<std::byte> piece(60 << 10);
  for (int i = 0; i < 17; ++i) add(pair.outboxes[0], 1, large_item, {}, piece);
  add(pair.outboxes[0], 0, large_item, {}, piece);
  EXPECT_FALSE(pair.outboxes[0].send(false)) << "less than a MiB for either";
  add(pair.outboxes[0], 1, large_item, {}, piece);
  EXPECT_TRUE(pair.outboxes[0].send(false));
  pair.deliver();
  EXPECT_EQ(arrived, 18 * piece.size()) << "the other bundle stays";
  EXPECT_TRUE(pair.outboxes[0].send(true));
  pair.deliver();
  EXPECT_EQ(arrived, 19 * piece.size());
}

TEST(Outbox, SendsALargeItemByItselfAndItsHandlerMayKeepIt) {
  Pair pair;
  base::SharedBytes kept;
  pair.outboxes[1].on(large_item, [&](const base::SharedBytes& item) { kept = item; });
  std::vector<std::byte> piece(100 << 10);
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = std::byte(i % 251);
  add(pair.outboxes[0], 1, large_item, numbered(3), piece);
  EXPECT_GT(pair.outboxes[0].bytes(), piece.size());
  EXPECT_TRUE(pair.outboxes[0].send(false)) << "it waits for no others";
  EXPECT_EQ(pair.outboxes[0].bytes(), 0U);
  pair.deliver();
  ASSERT_EQ(kept.size(), sizeof(int) + piece.size());
  EXPECT_EQ(kept.part(sizeof(int), piece.size()), base::SharedBytes(piece));
}

TEST(Outbox, TakesItemsFromManyThreads) {
  Pair pair;
  std::map<int, std::vector<int>> heard;  // numbers by thread
  pair.outboxes[1].on(small_item, [&](std::span<const std::byte> item) {
    base::ByteReader reader(item);
    const int thread = reader.get<int>();
    heard[thread].push_back(reader.get<int>());
  });
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) add(pair.outboxes[0], 1, small_item, numbered(t), numbered(i));
      });
    for (int i = 0; i < 50; ++i) pair.outboxes[0].send(true);
  }
  pair.outboxes[0].send(true);
  pair.deliver();
  ASSERT_EQ(heard.size(), 4U);
  for (const auto& [thread, numbers] : heard) {
    ASSERT_EQ(numbers.size(), 200U);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  }
}

TEST(Outbox, ABundleThatEndsInsideAnItemIsABug) {
  const auto communicator = comm::serial();
  messaging::Messenger messenger(*communicator);
  Outbox outbox(messenger, bundle_kind);
  messenger.send(0, bundle_kind, std::vector<std::byte>(5));
  EXPECT_THROW(messenger.progress(), Error);
}

}  // namespace
}  // namespace tailrace::pipeline::routing
