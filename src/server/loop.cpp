#include "server/loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "env/clock.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::server {

Loop::Loop(LoopOptions options, transport::Doorbell& doorbell, std::function<bool()> progress,
           std::function<std::string()> describe, telemetry::ServerCounters& counters)
    : options_(options),
      doorbell_(doorbell),
      progress_(std::move(progress)),
      describe_(std::move(describe)),
      counters_(counters),
      sleep_seconds_(options.shortest_sleep_seconds),
      moved_at_(env::steady_seconds()),
      warned_at_(moved_at_) {}

void Loop::run(const std::function<bool()>& over) {
  while (!over()) {
    const std::uint32_t ticket = doorbell_.ticket();
    if (progress_()) {
      moved_at_ = warned_at_ = env::steady_seconds();
      sleep_seconds_ = options_.shortest_sleep_seconds;
      continue;
    }
    if (over()) return;
    rest(ticket);
    watch();
  }
}

void Loop::rest(std::uint32_t ticket) {
  const telemetry::PhaseTimer timer(counters_, telemetry::Phase::idle);
  if (eager_ && eager_()) sleep_seconds_ = std::min(sleep_seconds_, options_.longest_eager_sleep_seconds);
  if (announced_ && announced_()) sleep_seconds_ = options_.longest_sleep_seconds;
  doorbell_.sleep(ticket, sleep_seconds_);
  sleep_seconds_ = std::min(2.0 * sleep_seconds_, options_.longest_sleep_seconds);
}

void Loop::watch() {
  const double now = env::steady_seconds();
  if (options_.watchdog_seconds <= 0 || now - warned_at_ < options_.watchdog_seconds) return;
  if (watched_ && watched_()) return;
  warned_at_ = now;
  base::log_warning(fmt::format("no progress for {:.0f} s on server {}; who waits for whom:{}",
                                now - moved_at_, counters_.rank, describe_()));
}

}  // namespace tailrace::server
