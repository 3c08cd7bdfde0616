// The event loop of a server rank: work while there is some, sleep on the doorbell while there is none, and
// say who waits for whom when nothing has moved for too long.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "telemetry/counters.hpp"
#include "transport/transport.hpp"

namespace tailrace::server {

struct LoopOptions {
  // How long a sleep may last. Messages that no doorbell announces (from other nodes, or between servers) are
  // looked for once in `shortest`, growing to `longest` while nothing comes: what comes is then found after
  // as long a time, at most, as was quiet before it.
  double shortest_sleep_seconds = 2e-4;
  double longest_sleep_seconds = transport::patience;
  double longest_eager_sleep_seconds = 2e-3;
  double watchdog_seconds = 60.0;  // 0: off
};

// The one thread that may speak MPI, so that MPI_THREAD_SERIALIZED is enough. It shares its core with a model
// rank on many machines: it sleeps whenever nothing moves. No MPI message rings the doorbell, so where
// messages may come it must get up to look: how seldom is a trade of the model's time against lag.
class Loop {
 public:
  // `progress` does what there is to do and says whether anything moved; `describe` tells the watchdog who
  // waits for whom.
  Loop(LoopOptions options, transport::Doorbell& doorbell, std::function<bool()> progress,
       std::function<std::string()> describe, telemetry::ServerCounters& counters);
  // While others wait for words that no doorbell announces, `eager` is true and no sleep is long.
  void stay_awake_while(std::function<bool()> eager) { eager_ = std::move(eager); }
  // While the doorbell announces whatever may come, `announced` is true and every sleep is as long as may be:
  // a look tells nothing that the doorbell would not, but for what clients leave to the server's own getting
  // up.
  void look_seldom_while(std::function<bool()> announced) { announced_ = std::move(announced); }

  // Until `over` is true. Blocks.
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
  telemetry::ServerCounters& counters_;
  double sleep_seconds_;
  double moved_at_;
  double warned_at_;
};

}  // namespace tailrace::server
