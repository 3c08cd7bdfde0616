#include "server/executor.hpp"

#include <gmock/gmock.h>

#include <future>
#include <set>

#include "transport/endpoints.hpp"

namespace tailrace::server {
namespace {

using testing::Each;

// Waits, as a server does, until nothing is running any more.
void wait_until_idle(Executor& executor, transport::Doorbell& doorbell) {
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t ticket = doorbell.ticket();
    if (executor.running() == 0) return;
    doorbell.sleep(ticket, 0.01);
  }
  FAIL() << executor.running() << " pieces of work never ended";
}

class AnyExecutor : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<transport::Doorbell> doorbell_ = transport::make_heap_doorbell();
};

TEST_P(AnyExecutor, RunsEachPieceOnce) {
  Executor executor(GetParam(), *doorbell_);
  EXPECT_EQ(executor.threads(), GetParam());
  std::vector<std::atomic<int>> runs(500);
  for (std::size_t i = 0; i < runs.size(); ++i) executor.submit([&, i] { runs[i].fetch_add(1); });
  wait_until_idle(executor, *doorbell_);
  EXPECT_THAT(runs, Each(testing::Truly([](const std::atomic<int>& count) { return count == 1; })));
}

TEST_P(AnyExecutor, DoesEachWriteOnce) {
  Executor executor(GetParam(), *doorbell_);
  std::vector<std::atomic<int>> runs(300);
  for (std::atomic<int>& run : runs) executor.write([&] { run.fetch_add(1); });
  wait_until_idle(executor, *doorbell_);
  EXPECT_THAT(runs, Each(testing::Truly([](const std::atomic<int>& count) { return count == 1; })));
}

TEST_P(AnyExecutor, WorkMayHandOverMoreWork) {
  Executor executor(GetParam(), *doorbell_);
  std::atomic<int> done = 0;
  executor.submit([&] {
    for (int i = 0; i < 10; ++i)
      executor.submit([&] {
        executor.write([&] { ++done; });
        ++done;
      });
  });
  wait_until_idle(executor, *doorbell_);
  EXPECT_EQ(done, 20);
}

TEST_P(AnyExecutor, KeepsTheFirstFaultAndGoesOn) {
  Executor executor(GetParam(), *doorbell_);
  EXPECT_FALSE(executor.take_fault());
  executor.write([] { throw Error(ErrorCode::resource, "the disk is full"); });
  wait_until_idle(executor, *doorbell_);  // several threads write
  executor.write([] { throw std::runtime_error("and more"); });
  bool later = false;
  executor.write([&] { later = true; });
  wait_until_idle(executor, *doorbell_);
  EXPECT_TRUE(later);
  const auto fault = executor.take_fault();
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, ErrorCode::resource);
  EXPECT_EQ(fault->message, "the disk is full");
  EXPECT_FALSE(executor.take_fault()) << "told once";
}

TEST_P(AnyExecutor, EndsWhenAllThatWasHandedOverIsDone) {
  std::atomic<int> done = 0;
  {
    Executor executor(GetParam(), *doorbell_);
    for (int i = 0; i < 20; ++i)
      executor.submit([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        executor.write([&] { ++done; });  // may be handed over after the destructor began
      });
  }
  EXPECT_EQ(done, 20);
}

INSTANTIATE_TEST_SUITE_P(Threads, AnyExecutor, testing::Values(0, 1, 3));

TEST(Executor, InlineWorkIsDoneWhenItIsHandedOver) {
  const auto doorbell = transport::make_heap_doorbell();
  Executor executor(0, *doorbell);
  std::thread::id task, writer;
  executor.submit([&] { task = std::this_thread::get_id(); });
  executor.write([&] { writer = std::this_thread::get_id(); });
  EXPECT_EQ(task, std::this_thread::get_id());
  EXPECT_EQ(writer, std::this_thread::get_id());
  EXPECT_EQ(executor.running(), 0);
}

TEST(Executor, AWriteThatHangsHoldsNoOtherUp) {
  const auto doorbell = transport::make_heap_doorbell();
  Executor executor(1, *doorbell);
  std::promise<void> go_on;
  executor.write([&] { go_on.get_future().wait(); });
  std::promise<void> done;
  executor.write([&] { done.set_value(); });
  const auto seen = done.get_future().wait_for(std::chrono::seconds(20));
  go_on.set_value();
  EXPECT_EQ(seen, std::future_status::ready);
}

TEST(Executor, NeverWorksOnTheCallersThreadOtherwise) {
  const auto doorbell = transport::make_heap_doorbell();
  Executor executor(2, *doorbell);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  const auto note = [&] {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  };
  for (int i = 0; i < 50; ++i) executor.submit(note);
  executor.write(note);
  wait_until_idle(executor, *doorbell);
  EXPECT_FALSE(seen.contains(std::this_thread::get_id()));
  EXPECT_LE(seen.size(), 3U) << "two workers, and a thread that writes";
}

TEST(Executor, DoesLightWorkAtOnceOnOneCoreAndTheRestApart) {
  const auto doorbell = transport::make_heap_doorbell();
  Executor executor(1, *doorbell, true);
  std::thread::id light, heavy, writer;
  executor.submit([&] { heavy = std::this_thread::get_id(); });
  executor.write([&] { writer = std::this_thread::get_id(); });
  executor.submit([&] { light = std::this_thread::get_id(); }, true);
  EXPECT_EQ(light, std::this_thread::get_id());
  wait_until_idle(executor, *doorbell);
  EXPECT_NE(heavy, std::this_thread::get_id());
  EXPECT_NE(writer, std::this_thread::get_id());
  executor.submit([] { throw Error(ErrorCode::internal, "cannot"); }, true);
  EXPECT_EQ(executor.take_fault()->message, "cannot");
  EXPECT_EQ(executor.running(), 0);
}

TEST(Executor, HandsLightWorkToAWorkerThatHasACore) {
  const auto doorbell = transport::make_heap_doorbell();
  Executor executor(1, *doorbell);
  std::thread::id light;
  executor.submit([&] { light = std::this_thread::get_id(); }, true);
  wait_until_idle(executor, *doorbell);
  EXPECT_NE(light, std::this_thread::get_id());
}

TEST(Executor, RingsWhenAPieceIsDone) {
  const auto doorbell = transport::make_heap_doorbell();
  Executor executor(1, *doorbell);
  const std::uint32_t before = doorbell->ticket();
  executor.submit([] {});
  wait_until_idle(executor, *doorbell);
  for (int i = 0; i < 2000 && doorbell->ticket() == before; ++i) doorbell->sleep(before, 0.01);
  EXPECT_NE(doorbell->ticket(), before);
}

}  // namespace
}  // namespace tailrace::server
