#include "env/signals.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <csignal>
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

}  // namespace
}  // namespace tailrace::env
