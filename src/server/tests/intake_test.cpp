// Clients in one process, their packets written by the test; the receiver notes what it is given.
#include "server/tests/intake_bench.hpp"

namespace tailrace::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(Clients, AreWorkedOnInTheSameStep) {
  Bench bench(2, GetParam());
  bench.block(0, model::static_step, 3, 30);
  bench.tick(0, 1);
  bench.block(0, 1, 0, 7);
  bench.tick(0, 2);  // client 10 runs ahead
  bench.block(0, 2, 0, 8);
  bench.settle();
  EXPECT_THAT(bench.take_events(), IsEmpty()) << "client 11 is not there yet";
  EXPECT_THAT(bench.receiver.blocks, ElementsAre("10:3@static=30"));
  bench.tick(1, 1);
  bench.settle();
  EXPECT_THAT(bench.take_events(), ElementsAre("step 1"));
  EXPECT_THAT(bench.receiver.blocks, ElementsAre("10:3@static=30", "10:0@1=7"));
  EXPECT_EQ(bench.intake->tick().step, 1);
  bench.block(1, 1, 0, 9);
  bench.tick(1, 2);
  bench.settle();
  EXPECT_THAT(bench.take_events(), ElementsAre("step 2"));
  EXPECT_EQ(bench.intake->tick().time, 1.0);
  bench.finish(0, 1);
  bench.settle();
  EXPECT_FALSE(bench.intake->finished());
  bench.finish(1, 2);
  bench.settle();
  EXPECT_TRUE(bench.intake->finished());
  EXPECT_THAT(bench.take_events(), ElementsAre("end"));
  EXPECT_THAT(bench.receiver.blocks,
              UnorderedElementsAre("10:3@static=30", "10:0@1=7", "11:0@1=9", "10:0@2=8"));
  EXPECT_THAT(bench.intake->client_counters(),
              UnorderedElementsAre(ElementsAre(std::byte{1}), ElementsAre(std::byte{2})));
  EXPECT_THAT(bench.receiver.faults, IsEmpty());
  EXPECT_EQ(bench.counters.packets_in.get(), 10U);
  EXPECT_EQ(bench.counters.bytes_in.get(), 6U);
}

TEST_P(Clients, WaitUntilThereIsRoomForAStep) {
  Bench bench(1, GetParam());
  bench.receiver.room = false;
  bench.tick(0, 1);
  bench.block(0, 1, 0, 1);
  bench.settle();
  EXPECT_THAT(bench.take_events(), IsEmpty());
  EXPECT_THAT(bench.receiver.blocks, IsEmpty());
  EXPECT_GT(bench.intake->buffer_used(), 0.0) << "what waits, waits in the client's buffer";
  EXPECT_LT(bench.intake->buffer_used(), 1.0);
  bench.receiver.room = true;
  bench.settle();
  EXPECT_THAT(bench.take_events(), ElementsAre("step 1"));
  EXPECT_THAT(bench.receiver.blocks, ElementsAre("10:0@1=1"));
}

TEST_P(Clients, ThatDisagreeAboutTheStepEndTheComponent) {
  Bench bench(2, GetParam());
  bench.tick(0, 3);
  bench.tick(1, 4);
  bench.settle();
  ASSERT_THAT(bench.receiver.faults, testing::SizeIs(1));
  EXPECT_EQ(bench.receiver.faults[0].code, ErrorCode::usage);
  EXPECT_EQ(bench.receiver.faults[0].message,
            "component \"bubble\": rank 10 is at step 3 (1.5 s), but rank 11 at step 4 (2 s); all ranks must "
            "give the "
            "same steps and times");
}

TEST_P(Clients, ThatFinishWhileOthersGoOnEndTheComponent) {
  Bench bench(2, GetParam());
  bench.finish(1, 0);
  bench.tick(0, 5);
  bench.settle();
  ASSERT_THAT(bench.receiver.faults, testing::SizeIs(1));
  EXPECT_EQ(bench.receiver.faults[0].message,
            "component \"bubble\": rank 11 has finished, but rank 10 continues with step 5");
}

TEST_P(Clients, ThatLeaveWithoutFinishEndTheComponent) {
  Bench bench(2, GetParam());
  for (const std::size_t client : {0, 1}) bench.tick(client, 1);
  bench.settle();
  bench.give(0, PacketKind::abandon, 1);
  bench.settle();
  ASSERT_THAT(bench.receiver.faults, testing::SizeIs(1));
  EXPECT_EQ(bench.receiver.faults[0].code, ErrorCode::lost);
  EXPECT_EQ(bench.receiver.faults[0].message,
            "component \"bubble\": rank 10 left without finish after step 1 (0.5 s); what was complete until "
            "then is in "
            "the files");
  // The other one never waits for room any more, however much it sends, until it ends too.
  for (int i = 0; i < 1000; ++i) {
    bench.block(1, 1, 0, 1);
    if (i % 10 == 0) bench.settle();
  }
  bench.tick(1, 2);
  bench.settle();
  EXPECT_FALSE(bench.intake->finished());
  bench.finish(1, 5);
  bench.settle();
  EXPECT_TRUE(bench.intake->finished());
  EXPECT_THAT(bench.receiver.blocks, IsEmpty());
  EXPECT_THAT(bench.take_events(), ElementsAre("step 1")) << "no regular end";
}

TEST_P(Clients, WhoseProducersSayGoodbyeAreNoticed) {
  Bench bench(1, GetParam());
  bench.producers[0]->abandon();
  bench.producers[0].reset();
  for (int i = 0; i < 1000 && !bench.intake->finished(); ++i) {
    bench.settle();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(bench.intake->finished());
  ASSERT_FALSE(bench.receiver.faults.empty());
  EXPECT_THAT(bench.receiver.faults[0].message, HasSubstr("rank 10"));
  EXPECT_THAT(bench.receiver.faults[0].message, HasSubstr("before its first step"));
}

TEST_P(Clients, HearOfFaults) {
  Bench bench(2, GetParam());
  bench.intake->raise({ErrorCode::resource, "full"});
  for (const auto& producer : bench.producers) {
    const auto fault = producer->take_fault();
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->message, "full");
  }
}

TEST_P(Clients, GetTheirRoomBackFromWorkThatThrows) {
  Bench bench(1, GetParam());
  bench.receiver.throws = true;
  bench.tick(0, 1);
  bench.settle();
  for (int i = 0; i < 1000; ++i) {
    bench.block(0, 1, 0, 1);
    if (i % 10 == 0) bench.settle();
  }
  bench.settle();
  EXPECT_THAT(bench.receiver.blocks, testing::SizeIs(1000)) << "one that throws keeps no other back";
  ASSERT_TRUE(bench.executor.take_fault());
  bench.finish(0, 1);
  bench.settle();
  EXPECT_TRUE(bench.intake->finished());
}

TEST_P(Clients, SmallBlocksAreHandedOverTogether) {
  Bench bench(1, GetParam(), 1 << 20);
  bench.tick(0, 1);
  bench.settle();
  std::vector<std::string> expected;
  for (int i = 0; i < 70; ++i) {
    bench.block(0, 1, i, i);
    expected.push_back("10:" + std::to_string(i) + "@1=" + std::to_string(i));
  }
  bench.settle();
  EXPECT_THAT(bench.receiver.blocks, testing::UnorderedElementsAreArray(expected));
  EXPECT_EQ(bench.counters.phase(telemetry::Phase::accumulate).count.get(), 1U);
  for (int i = 0; i < 2 * 64; ++i) bench.block(0, 1, i, i);
  bench.settle();
  EXPECT_EQ(bench.counters.phase(telemetry::Phase::accumulate).count.get(), GetParam().workers == 2 ? 3U : 2U)
      << "one piece for each worker";
}

TEST_P(Clients, LargeBlocksAreHandedOverOneByOne) {
  Bench bench(1, GetParam(), 1 << 20);
  bench.tick(0, 1);
  bench.settle();
  for (int i = 0; i < 10; ++i) {
    bench.producers[0]->reserve(std::size_t{20} << 10)[0] = std::byte(i);
    bench.producers[0]->publish({PacketKind::block, i, 1, 0.5});
  }
  bench.settle();
  EXPECT_THAT(bench.receiver.blocks, testing::SizeIs(10));
  EXPECT_EQ(bench.counters.phase(telemetry::Phase::accumulate).count.get(), 10U);
}

TEST_P(Clients, AreWaitedForWhenTheIntakeEnds) {
  Bench bench(1, GetParam());
  bench.tick(0, 1);
  bench.settle();
  for (int i = 0; i < 50; ++i) bench.block(0, 1, i, i);
  bench.intake->progress();
  bench.intake.reset();
  EXPECT_THAT(bench.receiver.blocks, testing::SizeIs(50));
}

INSTANTIATE_TEST_SUITE_P(Threads, Clients, testing::Values(Threads{0}, Threads{2}, Threads{1, true}),
                         [](const auto& info) {
                           return std::to_string(info.param.workers) +
                                  (info.param.one_core ? "OnOneCore" : "");
                         });

TEST(Intake, WorksOnSmallBlocksByItselfOnOneCore) {
  Bench bench(1, {1, true}, 1 << 20);
  bench.tick(0, 1);
  while (bench.intake->progress()) {
  }
  for (int i = 0; i < 70; ++i) bench.block(0, 1, i, i);
  bench.tick(0, 2);  // the run waits for nothing more
  while (bench.intake->progress()) {
  }
  EXPECT_THAT(bench.receiver.blocks, testing::SizeIs(70)) << "without a thread that could have done it since";
  EXPECT_THAT(bench.take_events(), ElementsAre("step 1", "step 2"));
}

TEST(Intake, IsNotAnnouncedWhileSmallBlocksWait) {
  Bench bench(1, {2}, 1 << 20);
  bench.tick(0, 1);
  bench.settle();
  EXPECT_TRUE(bench.intake->announced());
  bench.block(0, 1, 3, 30);
  EXPECT_TRUE(bench.intake->progress());
  EXPECT_FALSE(bench.intake->announced()) << "they are handed over a moment later";
  bench.settle();
  EXPECT_TRUE(bench.intake->announced());
  EXPECT_THAT(bench.receiver.blocks, ElementsAre("10:3@1=30"));
}

struct PolledConsumer final : transport::Consumer {
  std::optional<transport::Packet> next() override { return std::nullopt; }
  void release(std::uint64_t) override {}
  void raise(const base::Fault&) override {}
  void request_stop() override {}
  void say_written(std::int64_t) override {}
  bool alive() override { return true; }
  bool needs_polling() const override { return true; }
  std::size_t bytes_under_way() const override { return 0; }
  std::size_t capacity() const override { return 1; }
};

TEST(Intake, IsNotAnnouncedWhereOneClientMustBePolled) {
  Bench bench(0);
  auto ends = transport::loopback::make({{.bytes = 1 << 14}, {}}, *bench.doorbell);
  std::vector<Link> links;
  links.push_back({10, std::move(ends.consumer)});
  links.push_back({11, std::make_unique<PolledConsumer>()});
  const Intake intake("bubble", std::move(links),
                      {.executor = bench.executor, .receiver = bench.receiver, .counters = bench.counters});
  EXPECT_FALSE(intake.announced());
}

// A transport need not see the death of the other side (mpi); the process is looked at as well.
TEST(Intake, LosesAClientWhoseProcessEnded) {
  Bench bench(0);
  transport::ProcessId ended = transport::this_process();
  ended.number = fork();
  if (ended.number == 0) _exit(0);
  waitpid(ended.number, nullptr, 0);
  std::vector<Link> links;
  links.push_back({10, std::make_unique<PolledConsumer>(), transport::this_process()});
  links.push_back({11, std::make_unique<PolledConsumer>(), ended});
  Intake intake("bubble", std::move(links),
                {.executor = bench.executor, .receiver = bench.receiver, .counters = bench.counters});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (bench.receiver.faults.empty() && std::chrono::steady_clock::now() < end) intake.progress();
  ASSERT_EQ(bench.receiver.faults.size(), 1u);
  EXPECT_EQ(bench.receiver.faults[0].code, ErrorCode::lost);
  EXPECT_THAT(bench.receiver.faults[0].message, HasSubstr("rank 11 is gone (its process ended)"));
}

TEST(Intake, WithoutClientsHasFinished) {
  Bench bench(0);
  EXPECT_TRUE(bench.intake->finished());
  EXPECT_FALSE(bench.intake->progress());
  EXPECT_EQ(bench.intake->buffer_used(), 0.0);
}

TEST(Intake, SaysWhereEachClientStands) {
  Bench bench(3);
  bench.tick(0, 1);
  bench.finish(1, 0);
  bench.settle();
  EXPECT_EQ(bench.intake->describe(),
            "\n    rank 10 of component \"bubble\": at step 1, waits for the others"
            "\n    rank 11 of component \"bubble\": before its first step, has finished"
            "\n    rank 12 of component \"bubble\": before its first step, its next packet is awaited");
  bench.give(2, PacketKind::abandon, 0);
  bench.settle();
  EXPECT_THAT(bench.intake->describe(),
              HasSubstr("rank 12 of component \"bubble\": before its first step, is gone"));
}

}  // namespace
}  // namespace tailrace::server
