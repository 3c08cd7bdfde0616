#include "env/signals.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <memory>

namespace tailrace::env {
namespace {

int heard_by_program = 0;

extern "C" void count(int) { ++heard_by_program; }

class WishSignals : public ::testing::Test {
 protected:
  void SetUp() override { sigaction(SIGUSR1, nullptr, &before_); }
  void TearDown() override { sigaction(SIGUSR1, &before_, nullptr); }
  static decltype(SIG_DFL) there() {
    struct sigaction now = {};
    sigaction(SIGUSR1, nullptr, &now);
    return now.sa_handler;
  }

 private:
  struct sigaction before_ = {};
};

TEST_F(WishSignals, are_counted_and_end_no_process) {
  {
    const CheckpointSignal first, second;
    const int before = first.times();
    std::raise(SIGUSR1);
    std::raise(SIGUSR1);
    EXPECT_EQ(first.times(), before + 2);
    EXPECT_EQ(second.times(), before + 2);
  }
  EXPECT_EQ(there(), SIG_DFL);
}

TEST_F(WishSignals, are_left_to_a_handler_of_the_program) {
  std::signal(SIGUSR1, count);
  const CheckpointSignal signal;
  const int before = signal.times();
  heard_by_program = 0;
  std::raise(SIGUSR1);
  EXPECT_EQ(signal.times(), before);
  EXPECT_EQ(heard_by_program, 1);
}

TEST_F(WishSignals, are_shared_with_the_mpi_library) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(TAILRACE_MADE_UP_MPI, RTLD_NOW | RTLD_GLOBAL),
                                                      &dlclose);
  ASSERT_TRUE(library) << dlerror();
  reinterpret_cast<int (*)(int*, char***)>(dlsym(library.get(), "PMPI_Init"))(nullptr, nullptr);
  const auto heard = reinterpret_cast<int (*)()>(dlsym(library.get(), "made_up_mpi_heard"));
  const auto of_mpi = there();
  {
    const CheckpointSignal signal;
    const int before = signal.times();
    std::raise(SIGUSR1);
    EXPECT_EQ(signal.times(), before + 1);
    EXPECT_EQ(heard(), 1);
  }
  EXPECT_EQ(there(), of_mpi);
}

class StopOrders : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < numbers_.size(); ++i) sigaction(numbers_[i], nullptr, &before_[i]);
  }
  void TearDown() override {
    for (std::size_t i = 0; i < numbers_.size(); ++i) sigaction(numbers_[i], &before_[i], nullptr);
    unsetenv("TAILRACE_STOP_SIGNAL");
  }

 private:
  std::array<int, 4> numbers_{SIGTERM, SIGINT, SIGUSR2, SIGCONT};
  std::array<struct sigaction, 4> before_ = {};
};

TEST_F(StopOrders, come_by_any_of_the_signals) {
  for (const int number : {SIGUSR2, SIGTERM}) {
    const StopSignals signals(OwnHandler::left_alone, {SIGTERM, SIGUSR2, SIGUSR2});
    EXPECT_EQ(signals.caught(), 0);
    std::raise(number);
    std::raise(SIGUSR2);
    EXPECT_EQ(signals.caught(), number) << "the first one";
  }
  std::raise(SIGUSR2);  // comes late, and ends nothing
}

TEST_F(StopOrders, are_left_to_a_handler_of_the_program_or_called_too) {
  std::signal(SIGUSR2, count);
  heard_by_program = 0;
  {
    const StopSignals signals(OwnHandler::left_alone, {SIGTERM, SIGUSR2});
    std::raise(SIGUSR2);
    EXPECT_EQ(signals.caught(), 0);
  }
  const StopSignals signals(OwnHandler::called_too, {SIGTERM, SIGUSR2});
  std::raise(SIGUSR2);
  EXPECT_EQ(signals.caught(), SIGUSR2);
  EXPECT_EQ(heard_by_program, 2);
}

TEST_F(StopOrders, are_announced) {
  const EndAnnouncement announcement;
  const int before = announcement.times();
  std::raise(SIGCONT);
  EXPECT_EQ(announcement.times(), before + 1);
}

TEST_F(StopOrders, have_the_name_that_the_launcher_says) {
  EXPECT_EQ(stop_signal_of_launcher(), 0);
  setenv("TAILRACE_STOP_SIGNAL", "SIGUSR2", 1);
  EXPECT_EQ(stop_signal_of_launcher(), SIGUSR2);
  setenv("TAILRACE_STOP_SIGNAL", "SIGNOTHING", 1);
  EXPECT_EQ(stop_signal_of_launcher(), 0);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGUSR1, SIGUSR2})
    EXPECT_EQ(number_of_signal(name_of_signal(number)), number);
}

}  // namespace
}  // namespace tailrace::env
