#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "env/clock.hpp"
#include "env/delays.hpp"
#include "env/threads.hpp"

namespace tailrace::env {
namespace {

TEST(Clock, prints_utc) {
  EXPECT_EQ(iso_time(0.0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(951868799.9), "2000-02-29T23:59:59Z");
  EXPECT_EQ(iso_time(-0.5), "1969-12-31T23:59:59Z");
}

TEST(Clock, the_systems_goes_on_and_sleeps_at_least_as_long_as_asked) {
  Clock& clock = system_clock();
  const double begin = clock.seconds(), wall = clock.wall_seconds();
  clock.sleep(0.01);
  EXPECT_GE(clock.seconds() - begin, 0.01);
  EXPECT_GT(clock.wall_seconds(), wall);
  EXPECT_NEAR(clock.seconds(), steady_seconds(), 1.0);
}

TEST(Clock, the_manual_one_stands_still_until_it_is_turned) {
  ManualClock clock(100.0);
  EXPECT_EQ(clock.seconds(), 0.0);
  clock.advance(2.5);
  clock.sleep(0.5);
  EXPECT_EQ(clock.seconds(), 3.0);
  EXPECT_EQ(iso_time(clock), "1970-01-01T00:01:43Z");
}

TEST(Threads, pins_to_an_allowed_core) {
  const std::vector<int> before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  EXPECT_TRUE(std::ranges::is_sorted(before));
  std::jthread([&] {
    const std::vector<int> one{before.back()};
    EXPECT_TRUE(pin_this_thread(one));
    EXPECT_EQ(allowed_cpus(), one);
    EXPECT_EQ(cpus_of_all_threads(), before) << "the other thread is not pinned";
    EXPECT_FALSE(pin_this_thread(std::vector<int>{-1}));
    EXPECT_FALSE(pin_this_thread(std::vector<int>{}));
  }).join();
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Threads, numbers_are_small_and_differ) {
  const int mine = this_thread_number();
  int other = mine;
  std::jthread([&] { other = this_thread_number(); }).join();
  EXPECT_NE(mine, other);
  EXPECT_EQ(mine, this_thread_number());
}

TEST(Threads, long_names_are_cut_not_refused) {
  std::jthread([] {
    name_this_thread("tailrace-io-and-much-more");
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof name);
    EXPECT_STREQ(name, "tailrace-io-and");
  }).join();
}

TEST(Node, is_that_of_the_host_unless_a_test_makes_up_others) {
  const std::string real = node_name();
  EXPECT_TRUE(real.starts_with(host_name())) << real;
  EXPECT_EQ(node_name(), real);
  setenv("TAILRACE_NODES", "a,b,a", 1);
  for (const auto& [rank, name] : std::vector<std::pair<const char*, const char*>>{{"0", "a"}, {"1", "b"}}) {
    setenv("OMPI_COMM_WORLD_RANK", rank, 1);
    EXPECT_EQ(node_name(), name);
  }
  unsetenv("OMPI_COMM_WORLD_RANK");
  unsetenv("TAILRACE_NODES");
}

TEST(Memory, high_water_keeps_what_was_given_back) {
  constexpr std::size_t size = std::size_t{64} << 20;
  const std::uint64_t before = resident_bytes();
  {
    std::vector<char> block(size, 1);
    EXPECT_GE(resident_bytes(), before + size / 2);
  }
  EXPECT_GE(resident_high_water_bytes(), before + size / 2);
}

TEST(Delays, are_off_when_nobody_asked) {
  if (getenv("TAILRACE_RANDOM_DELAYS") || getenv("TAILRACE_FILE_DELAY"))
    GTEST_SKIP() << "the environment asks for delays";
  EXPECT_FALSE(delays_on);
  EXPECT_EQ(next_delay("here").count(), 0);
  EXPECT_EQ(next_delay("file").count(), 0);
}

// The variables are read at start-up, so the test runs this same program again, with the hidden test below.
std::string child(const std::string& setting) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "TAILRACE_RANDOM_DELAYS=" + setting + " " + program +
                              " --gtest_also_run_disabled_tests --gtest_filter=Delays.DISABLED_child 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  char buffer[256];
  while (fgets(buffer, sizeof buffer, pipe.get())) text += buffer;
  return text;
}

TEST(Delays, DISABLED_child) {
  std::int64_t here = 0, file = 0;
  for (int k = 0; k < 100; ++k) {
    here += next_delay("here").count();
    file += next_delay("file").count();
  }
  const double begin = steady_seconds();
  maybe_delay("file");
  const bool slept = steady_seconds() - begin >= 300e-6;
  printf("random=%d here=%d file=%lld slept=%d\n", random_delays_on, here > 0, static_cast<long long>(file),
         slept);
}

TEST(Delays, are_on_when_asked) {
  EXPECT_NE(child("7:1000").find("random=1 here=1 file="), std::string::npos);
}

TEST(Delays, of_files_leave_other_places_alone) {
  const std::string text = child(" TAILRACE_FILE_DELAY=300");  // the first variable is empty
  EXPECT_NE(text.find("random=0 here=0 file=30000 slept=1"), std::string::npos) << text;
}

TEST(Delays, a_wrong_setting_is_said_and_changes_nothing) {
  const std::string text = child("fast");
  EXPECT_NE(text.find("random=0 here=0 file=0"), std::string::npos) << text;
  EXPECT_NE(text.find("TAILRACE_RANDOM_DELAYS is not of the form <seed>:<most microseconds>"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace tailrace::env
