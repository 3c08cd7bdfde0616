#include "analytics/user/crash_notice.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

namespace tailrace::analytics::user {
namespace {

// The stderr output of a process that aborts with these notices: one string for each write.
std::vector<std::string> last_words(const std::vector<std::string>& notices) {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(ends[1], STDERR_FILENO);
    { const CrashNotice earlier("what is done"); }
    std::vector<std::unique_ptr<CrashNotice>> kept;
    for (const std::string& notice : notices) kept.push_back(std::make_unique<CrashNotice>(notice));
    raise(SIGABRT);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  std::vector<std::string> writes;
  std::array<char, 1 << 16> one{};
  for (;;) {
    const auto size = recv(ends[0], one.data(), one.size(), MSG_DONTWAIT);
    if (size < 0) break;
    writes.emplace_back(one.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  close(ends[1]);
  return writes;
}

TEST(CrashNotice, NamesAllRunningOperatorsInOneWrite) {
  EXPECT_EQ(last_words({"diagnostic \"a\": f(u)", "diagnostic \"b\": g(v)"}),
            std::vector<std::string>{
                "tailrace: error: the process crashed (abort) in a user-defined operator while it "
                "computed diagnostic \"a\": f(u) and diagnostic \"b\": g(v); it ends now, and "
                "the files contain all commits\n"});
}

TEST(CrashNotice, IsOneLineForAnyNumberOfOperators) {
  const std::vector<std::string> writes = last_words(std::vector<std::string>(70, std::string(1000, 'x')));
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_TRUE(writes[0].ends_with("contain all commits\n"));
}

TEST(CrashNotice, IsEmptyIfNoOperatorRuns) { EXPECT_TRUE(last_words({}).empty()); }

}  // namespace
}  // namespace tailrace::analytics::user
