#include "transport/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tailrace::transport {
namespace {

namespace fs = std::filesystem;

constexpr const char* answer =
    "TAILRACE_TEST_LAUNCHER";  // the file that a child writes its launcher's number into

TEST(LauncherProcess, IsTheParentOfRanksAlsoBehindAScript) {
  if (const char* const file = std::getenv(answer)) {
    std::ofstream(file) << launcher_process().number;
    return;
  }
  const fs::path file = fs::path(testing::TempDir()) / ("launcher." + std::to_string(getpid()));
  const std::string again = fs::read_symlink("/proc/self/exe").string() +
                            " --gtest_filter=LauncherProcess.IsTheParentOfRanksAlsoBehindAScript";
  for (const std::string& command : {"exec " + again, again + "; true"}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      setenv("PMI_RANK", "0", 1);
      setenv(answer, file.c_str(), 1);
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    int told = 0;
    std::ifstream(file) >> told;
    EXPECT_EQ(told, getpid()) << command;
    fs::remove(file);
  }
}

TEST(ThisProcess, IsThereAndItsChildrenAreGoneWhenTheyHaveEnded) {
  const ProcessId own = this_process();
  EXPECT_FALSE(gone(own));
  EXPECT_GT(own.start, 0u);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(gone({.number = child, .start = own.start, .pid_space = own.pid_space}));
}

}  // namespace
}  // namespace tailrace::transport
