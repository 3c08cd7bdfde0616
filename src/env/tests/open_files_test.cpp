#include "env/open_files.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "env/threads.hpp"

namespace tailrace::env {
namespace {

std::string place() {
  return (std::filesystem::temp_directory_path() / fmt::format("tailrace_held_{}", process_id())).string();
}

TEST(WhoWrites, names_a_process_that_has_the_file_open_for_writing) {
  const std::string path = place(), unseen = "a process that cannot be seen from " + host_name();
  std::ofstream(path) << "here";
  EXPECT_EQ(who_writes(path), unseen);
  EXPECT_EQ(who_writes(path + "/gone"), unseen);
  {
    const std::ifstream reader(path);
    EXPECT_EQ(who_writes(path), unseen) << "a reader does not write";
    const std::ofstream writer(path, std::ios::app);
    EXPECT_EQ(who_writes(path), fmt::format("process {} (env_test) on {}", process_id(), host_name()));
    EXPECT_EQ(who_writes(path, 1), unseen) << "that one descriptor is the caller's";
  }
  FILE* const shell = ::popen(fmt::format("exec 3>>'{}'; echo $$; exec sleep 100", path).c_str(), "r");
  int pid = 0;
  ASSERT_EQ(std::fscanf(shell, "%d", &pid), 1);
  const std::ofstream writer(path, std::ios::app);
  EXPECT_THAT(who_writes(path), testing::MatchesRegex(fmt::format("process {} \\(s[a-z]+\\) on .+", pid)))
      << "another process comes before this one";
  ::kill(pid, SIGKILL);
  ::pclose(shell);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tailrace::env
