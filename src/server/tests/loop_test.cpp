#include "server/loop.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "env/clock.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::server {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

struct Bench {
  std::unique_ptr<transport::Doorbell> doorbell = transport::make_heap_doorbell();
  telemetry::ServerCounters counters;
};

TEST(Loop, WorksWhileAnythingMoves) {
  Bench bench;
  int left = 1000;
  const double begin = env::steady_seconds();
  Loop(
      {.shortest_sleep_seconds = 10.0, .longest_sleep_seconds = 10.0}, *bench.doorbell,
      [&] { return --left > 0; }, [] { return ""; }, bench.counters)
      .run([&] { return left == 0; });
  EXPECT_EQ(left, 0);
  EXPECT_LT(env::steady_seconds() - begin, 5.0) << "it slept although there was work";
  EXPECT_EQ(bench.counters.phase(telemetry::Phase::idle).count.get(), 0U);
}

TEST(Loop, ADoorbellEndsItsSleep) {
  Bench bench;
  std::atomic<bool> over = false;
  const double begin = env::steady_seconds();
  std::jthread ringer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    over = true;
    bench.doorbell->ring();
  });
  Loop(
      {.shortest_sleep_seconds = 30.0, .longest_sleep_seconds = 30.0}, *bench.doorbell, [] { return false; },
      [] { return ""; }, bench.counters)
      .run([&] { return over.load(); });
  EXPECT_LT(env::steady_seconds() - begin, 20.0);
  EXPECT_GE(bench.counters.phase(telemetry::Phase::idle).count.get(), 1U);
}

TEST(Loop, SleepsLongerWhileNothingComes) {
  Bench bench;
  int looks = 0;
  const double begin = env::steady_seconds();
  Loop(
      {.shortest_sleep_seconds = 1e-3, .longest_sleep_seconds = 8e-3}, *bench.doorbell,
      [&] {
        ++looks;
        return false;
      },
      [] { return ""; }, bench.counters)
      .run([&] { return looks == 8; });
  // 1, 2, 4 ms, then 8 ms each; the last look finds the loop over.
  EXPECT_GE(env::steady_seconds() - begin, 0.9 * (1 + 2 + 4 + 4 * 8) * 1e-3);
}

TEST(Loop, LooksSeldomWhileEverythingIsAnnounced) {
  for (const bool announced : {false, true}) {
    Bench bench;
    int looks = 0;
    const double begin = env::steady_seconds();
    Loop loop(
        {.shortest_sleep_seconds = 1e-6, .longest_sleep_seconds = 0.1}, *bench.doorbell,
        [&] { return ++looks % 2 == 0; }, [] { return ""; }, bench.counters);
    loop.look_seldom_while([&] { return announced; });
    loop.run([&] { return looks >= 7; });  // three sleeps, each after something moved
    const double lasted = env::steady_seconds() - begin;
    if (announced)
      EXPECT_GE(lasted, 0.9 * 0.3);
    else
      EXPECT_LT(lasted, 0.9 * 0.3);
  }
}

TEST(Loop, TheWatchdogSaysWhoWaitsForWhom) {
  Bench bench;
  bench.counters.rank = 3;
  int looks = 0;
  testing::internal::CaptureStderr();
  Loop(
      {.shortest_sleep_seconds = 5e-3, .longest_sleep_seconds = 5e-3, .watchdog_seconds = 0.02},
      *bench.doorbell,
      [&] {
        ++looks;
        return false;
      },
      [] { return "\n    rank 1: its next packet is awaited"; }, bench.counters)
      .run([&] { return looks == 12; });
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("tailrace: warning: no progress for 0 s on server 3; who waits for whom:\n"
                        "    rank 1: its next packet is awaited"));
}

TEST(Loop, TheWatchdogLeavesToOthersWhatTheyWatch) {
  Bench bench;
  int looks = 0;
  testing::internal::CaptureStderr();
  Loop loop(
      {.shortest_sleep_seconds = 5e-3, .longest_sleep_seconds = 5e-3, .watchdog_seconds = 0.02},
      *bench.doorbell,
      [&] {
        ++looks;
        return false;
      },
      [&] { return looks <= 12 ? "too early" : "now"; }, bench.counters);
  loop.leave_watching_while([&] { return looks <= 12; });
  loop.run([&] { return looks == 24; });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("who waits for whom:now"));
  EXPECT_THAT(said, testing::Not(HasSubstr("too early")));
}

TEST(Loop, TheWatchdogIsQuietWhileThingsMoveOrWhenItIsOff) {
  for (const bool off : {false, true}) {
    Bench bench;
    int looks = 0;
    testing::internal::CaptureStderr();
    Loop(
        {.shortest_sleep_seconds = 2e-3, .longest_sleep_seconds = 2e-3, .watchdog_seconds = off ? 0.0 : 1.0},
        *bench.doorbell, [&] { return ++looks % 2 == 0; }, [] { return "?"; }, bench.counters)
        .run([&] { return looks >= 30; });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
}

}  // namespace
}  // namespace tailrace::server
