// Clients that ask for a checkpoint: they are held until it is saved.
#include "server/tests/intake_bench.hpp"

namespace tailrace::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ClientsAtACheckpoint : public testing::TestWithParam<Threads> {};

TEST_P(ClientsAtACheckpoint, StandStillUntilItIsSaved) {
  Bench bench(2, GetParam());
  for (std::size_t client = 0; client < 2; ++client) {
    bench.tick(client, 1);
    bench.give(client, PacketKind::block_and_kept, 1, 0, 7);
  }
  bench.give(0, PacketKind::checkpoint, 1, 0, 5);
  bench.tick(0, 2);
  bench.give(0, PacketKind::kept, 2, 0, 8);
  bench.settle();
  EXPECT_THAT(bench.take_events(), ElementsAre("step 1"));
  bench.give(1, PacketKind::checkpoint, 1);
  bench.tick(1, 2);
  bench.settle();
  EXPECT_THAT(bench.take_events(), ElementsAre("checkpoint with 1"));
  EXPECT_THAT(bench.receiver.blocks, UnorderedElementsAre("10:0@1=7", "11:0@1=7"));
  bench.receiver.saved = true;
  bench.settle();
  EXPECT_THAT(bench.take_events(), ElementsAre("step 2"));
  EXPECT_THAT(bench.receiver.blocks, UnorderedElementsAre("10:0@1=7", "11:0@1=7", "10:0@2=8"));
  EXPECT_THAT(bench.receiver.faults, IsEmpty());
}

TEST_P(ClientsAtACheckpoint, MakeItTogetherOrNotAtAll) {
  Bench bench(2, GetParam());
  for (std::size_t client = 0; client < 2; ++client) bench.tick(client, 4);
  bench.give(1, PacketKind::checkpoint, 4);
  bench.tick(0, 5);
  bench.settle();
  ASSERT_EQ(bench.receiver.faults.size(), 1U);
  EXPECT_THAT(bench.receiver.faults[0].message,
              HasSubstr("rank 11 called checkpoint at step 4, but rank 10 did not; expected the call on all "
                        "ranks at the same step"));
}

INSTANTIATE_TEST_SUITE_P(Threads, ClientsAtACheckpoint,
                         testing::Values(Threads{0}, Threads{2}, Threads{1, true}), [](const auto& info) {
                           return std::to_string(info.param.workers) +
                                  (info.param.one_core ? "OnOneCore" : "");
                         });

}  // namespace
}  // namespace tailrace::server
