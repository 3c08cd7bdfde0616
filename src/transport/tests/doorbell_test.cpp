#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "transport/endpoints.hpp"
#include "transport/testing/both_ends.hpp"

namespace tailrace::transport {
namespace {

using testing::Child;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(DoorbellTest, DoesNotSleepWhenItWasRungAfterTheTicket) {
  const auto doorbell = make_heap_doorbell();
  const auto ticket = doorbell->ticket();
  doorbell->ring();
  const double begin = now();
  doorbell->sleep(ticket, 30.0);
  EXPECT_LT(now() - begin, 25.0);
  EXPECT_NE(doorbell->ticket(), ticket);
}

TEST(DoorbellTest, SleepsUntilTheTimeIsOver) {
  const auto doorbell = make_heap_doorbell();
  const double begin = now();
  doorbell->sleep(doorbell->ticket(), 0.05);
  EXPECT_GE(now() - begin, 0.045);
}

TEST(DoorbellTest, NoRingIsMissed) {
  const auto doorbell = make_heap_doorbell();
  std::atomic<int> said{0};
  int heard = 0;
  std::thread ringer([&] {
    for (int i = 1; i <= 20000; ++i) {
      said.store(i);
      doorbell->ring();
      while (i % 100 == 0 && said.load() != 0) std::this_thread::yield();
    }
  });
  double longest = 0;
  for (int round = 0; round < 200; ++round) {
    while (true) {
      const auto ticket = doorbell->ticket();
      if (said.load() == 100 * (round + 1)) break;
      const double begin = now();
      doorbell->sleep(ticket, 30.0);  // a ring that is missed costs half a minute
      longest = std::max(longest, now() - begin);
    }
    ++heard;
    said.store(0);
  }
  ringer.join();
  EXPECT_EQ(heard, 200);
  EXPECT_LT(longest, 25.0);
}

TEST(DoorbellTest, AnIdleServerLeavesTheCoreAlone) {
  const auto doorbell = make_heap_doorbell();
  const double begin = now();
  const double cpu = cpu_seconds();
  while (now() - begin < 0.5) doorbell->sleep(doorbell->ticket(), 2e-3);
  // Checks only that nothing spins; benchmarks/idle.py asserts the figure itself.
  EXPECT_LT((cpu_seconds() - cpu) / (now() - begin), 0.2);
}

TEST(DoorbellTest, RingsFromAnotherProcess) {
  auto bell = shm::make_doorbell();
  const auto ticket = bell.doorbell->ticket();
  Child other([&] { shm::attach_doorbell(bell.name)->ring(); });
  const double begin = now();
  bell.doorbell->sleep(ticket, 30.0);
  EXPECT_LT(now() - begin, 25.0);
  EXPECT_EQ(other.wait(), 0);
}

TEST(DoorbellTest, WhatDeadProcessesLeftIsTakenAwayAndNothingElse) {
  const auto living = shm::make_doorbell();
  std::string dead, foreign = "/dev/shm/tailrace-of-somebody-else";
  std::ofstream(foreign) << "kept";
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  Child other([&] {
    const auto bell = shm::make_doorbell();
    [[maybe_unused]] const auto told = ::write(pipe[1], bell.name.data(), bell.name.size());
    ::_exit(0);  // as if it were killed: nothing is cleaned up
  });
  EXPECT_EQ(other.wait(), 0);
  dead.resize(200);
  const ssize_t size = ::read(pipe[0], dead.data(), dead.size());
  ASSERT_GT(size, 0);
  dead.resize(static_cast<std::size_t>(size));
  for (const int end : pipe) ::close(end);
  EXPECT_TRUE(std::filesystem::exists("/dev/shm" + dead));
  // Ranks that wait in `start` still learn that this one arrived, even if another job begins meanwhile.
  const std::string note = "/dev/shm" + dead + "-meets-a-job-1",
                    old_note = "/dev/shm" + dead + "-meets-a-job-2";
  for (const std::string& path : {note, old_note}) std::ofstream(path).flush();
  std::filesystem::last_write_time(old_note,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const auto next = shm::make_doorbell();
  EXPECT_FALSE(std::filesystem::exists("/dev/shm" + dead));
  EXPECT_TRUE(std::filesystem::exists(note));
  EXPECT_FALSE(std::filesystem::exists(old_note));
  std::filesystem::remove(note);
  EXPECT_TRUE(std::filesystem::exists("/dev/shm" + living.name));
  EXPECT_TRUE(std::filesystem::exists(foreign));
  std::filesystem::remove(foreign);
}

TEST(DoorbellTest, LeavesNothingBehind) {
  auto bell = shm::make_doorbell();
  const auto path = "/dev/shm" + bell.name;
  const auto attached = shm::attach_doorbell(bell.name);
  EXPECT_TRUE(std::filesystem::exists(path));
  shm::forget_doorbell(bell.name);
  EXPECT_FALSE(std::filesystem::exists(path));
  const auto ticket = bell.doorbell->ticket();
  attached->ring();
  EXPECT_NE(bell.doorbell->ticket(), ticket);
  try {
    shm::attach_doorbell(bell.name);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("cannot open the shared memory " + bell.name));
  }
}

}  // namespace
}  // namespace tailrace::transport
