#include "settings/servers/servers.hpp"

#include <csignal>

#include "config/testing/section_conformance.hpp"

namespace tailrace::settings {
namespace {

TEST(ServersSection, IsASection) { config::testing::check_section(servers_section()); }

TEST(ServersSection, ReadsAllItsOptions) {
  config::testing::Attempt attempt;
  const ServersOptions options = config::testing::read(
      servers_section(),
      "servers: {mode: attached, per_node: 2, threads: 3, buffer: 1 MiB, when_full: fail, spill_directory: "
      "/a, "
      "transport: mpi, memory: 2 MiB, watchdog: off, report: false, report_directory: b, trace: true, "
      "signals: all, stop_signal: SIGUSR2, grace: 90 s, model_uses_hdf5: false}",
      attempt);
  ServersOptions expected;
  expected.mode = Mode::attached;
  expected.per_node = 2;
  expected.threads = 3;
  expected.buffer.bytes = std::size_t{1} << 20;
  expected.buffer.at_most = false;
  expected.buffer.when_full = transport::WhenFull::fail;
  expected.buffer.spill_directory = "/a";
  expected.transport = "mpi";
  expected.memory = std::size_t{2} << 20;
  expected.memory_given = true;
  expected.watchdog_seconds = 0.0;
  expected.report_directory = "b";
  expected.report = false;
  expected.trace = true;
  expected.signals = Signals::all;
  expected.stop_signal = SIGUSR2;
  expected.grace_seconds = 90.0;
  expected.model_uses_hdf5 = false;
  EXPECT_EQ(options, expected);
  EXPECT_EQ(attempt.problems.text(), "");
}

TEST(ServersSection, TellsWhatIsWrong) {
  config::testing::check_mistakes(
      servers_section(),
      {{.yaml = "servers: {count: 1, per_node: 2}",
        .told = "run.yaml:1:31  servers.per_node: `count` is given too; expected only one of them"},
       {.yaml = "servers: {memory: 1 kB, buffer: 63 KiB}",
        .told = "run.yaml:1:19  servers.memory: expected 1 MiB or more\n"
                "run.yaml:1:33  servers.buffer: expected 64 KiB or more"},
       {.yaml = "servers: {signals: none, stop_signal: SIGUSR2}",
        .told = "run.yaml:1:39  servers.stop_signal: `signals: none` leaves all signals alone; expected "
                "`signals: servers` or `all` with it"},
       {.yaml = "servers: {watchdog: 3 steps}",
        .told =
            "run.yaml:1:21  servers.watchdog: expected a length of time such as `60 s` or `5 min`, or `off`, "
            "but got \"3 steps\""}});
}

}  // namespace
}  // namespace tailrace::settings
