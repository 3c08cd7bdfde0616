// The event loop of a server rank: works while there is work, sleeps on the doorbell while there is none,
// and reports who waits for whom if nothing has moved for too long.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "telemetry/counters.hpp"
#include "transport/transport.hpp"

namespace tailrace::server {

struct LoopOptions {
  // How long a sleep may last. Messages that no doorbell announces (from other nodes, or between servers)
  // must be polled. The interval grows from the shortest to the longest sleep while nothing arrives, so a
  // message is found at most as late as the time was quiet before it.
  double shortest_sleep_seconds = 2e-4;
  double longest_sleep_seconds = transport::patience;
  double longest_eager_sleep_seconds = 2e-3;
  double watchdog_seconds = 60.0;  // 0: off
};

// Runs on the only thread that calls MPI, so that MPI_THREAD_SERIALIZED is enough. On many machines it
// shares its core with a model rank, so it sleeps whenever nothing moves. An MPI message does not ring the
// doorbell, so the loop must wake up to poll for messages; how seldom it does trades latency for the model's
// time.
class Loop {
 public:
  // `progress` does the work that is possible and returns whether anything moved. `describe` describes for
  // the watchdog who waits for whom.
  Loop(LoopOptions options, transport::Doorbell& doorbell, std::function<bool()> progress,
       std::function<std::string()> describe, telemetry::ServerCounters& counters);
  // Sleeps are short while `eager` is true: others wait for messages that no doorbell announces.
  void stay_awake_while(std::function<bool()> eager) { eager_ = std::move(eager); }
  // Sleeps are as long as allowed while `announced` is true: the doorbell announces everything that may
  // arrive. Polling would then only find packets for which clients do not ring because the server wakes up
  // anyway.
  void look_seldom_while(std::function<bool()> announced) { announced_ = std::move(announced); }

  // The watchdog reports nothing while `watched` is true: somebody else watches what is waited for then, and
  // can say more.
  void leave_watching_while(std::function<bool()> watched) { watched_ = std::move(watched); }

  // Blocks until `over` is true.
  void run(const std::function<bool()>& over);

 private:
  void rest(std::uint32_t ticket);
  void watch();

  LoopOptions options_;
  transport::Doorbell& doorbell_;
  std::function<bool()> progress_;
  std::function<std::string()> describe_;
  std::function<bool()> eager_;
  std::function<bool()> announced_;
  std::function<bool()> watched_;
  telemetry::ServerCounters& counters_;
  double sleep_seconds_;
  double moved_at_;
  double warned_at_;
};

}  // namespace tailrace::server
