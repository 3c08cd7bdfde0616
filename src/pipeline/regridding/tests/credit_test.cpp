#include "pipeline/regridding/credit.hpp"

#include <gtest/gtest.h>

#include "messaging/testing/memory_network.hpp"

namespace tailrace::pipeline::regridding {
namespace {

constexpr std::size_t most = 1000;

struct Server {
  std::unique_ptr<comm::Communicator> communicator;
  messaging::Messenger messenger;
  ControlChannel control{messenger, 0};
  Credit credit{control, most};
  explicit Server(std::unique_ptr<comm::Communicator> own)
      : communicator(std::move(own)), messenger(*communicator) {}
};

struct Two {
  messaging::testing::MemoryNetwork network{2, 1};
  Server ahead{network.rank(0)}, behind{network.rank(1)};
  void pass_messages() {
    for (int turn = 0; turn < 200; ++turn) {
      ahead.messenger.progress();
      behind.messenger.progress();
    }
  }
};

TEST(Credit, IsFullUntilTheOtherHasUsedUpEnough) {
  Two two;
  two.ahead.credit.begin_step();
  two.ahead.credit.send(1, most);
  EXPECT_FALSE(two.ahead.credit.full());
  two.ahead.credit.send(1, 1);
  EXPECT_TRUE(two.ahead.credit.full());
  two.pass_messages();
  EXPECT_TRUE(two.ahead.credit.full());
  two.behind.credit.use_up(0, most / 2);
  two.pass_messages();
  EXPECT_FALSE(two.ahead.credit.full());
  EXPECT_EQ(two.ahead.credit.waiting(), most / 2 + 1);
}

TEST(Credit, LetsTwoLargeStepsGoAhead) {
  Two two;
  for (int step = 0; step < 2; ++step) {
    two.ahead.credit.begin_step();
    two.ahead.credit.send(1, 10 * most);
  }
  two.ahead.credit.begin_step();
  EXPECT_FALSE(two.ahead.credit.full());
  two.ahead.credit.send(1, 10 * most);
  EXPECT_TRUE(two.ahead.credit.full());
}

TEST(Credit, CountsThisServerWithoutMessages) {
  Two two;
  two.ahead.credit.send(0, 2 * most);
  EXPECT_TRUE(two.ahead.credit.full());
  two.ahead.credit.use_up(0, 2 * most);
  EXPECT_FALSE(two.ahead.credit.full());
}

TEST(Credit, TellsLittleWithFewMessages) {
  Two two;
  for (int i = 0; i < 100; ++i) two.behind.credit.use_up(0, 10);
  const auto kind = two.behind.control.kind(ControlMessage::regridded);
  EXPECT_LE(two.behind.messenger.traffic(kind, kind + 1).sent, 4U);
  two.pass_messages();
}

}  // namespace
}  // namespace tailrace::pipeline::regridding
