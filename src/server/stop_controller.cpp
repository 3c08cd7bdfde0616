#include "server/stop_controller.hpp"

#include <fmt/format.h>

#include <csignal>

#include "base/log.hpp"
#include "env/clock.hpp"

namespace tailrace::server {
namespace {

// Shares of the grace time: until the first, clients may continue; until the second, commits may become
// complete. The rest is for closing and reporting.
constexpr double share_for_clients = 0.7, share_for_commits = 0.9;
constexpr double seconds_announced = 3.0;
constexpr double seconds_when_idle = 0.2;  // for messages of other servers about the stop

}  // namespace

std::vector<int> stop_signals(const settings::ServersOptions& options, bool of_model) {
  using settings::Signals;
  std::vector<int> numbers;
  if (options.signals == Signals::none) return numbers;
  if (!of_model || options.signals == Signals::all) numbers = {SIGTERM, SIGINT};
  for (const int number : {options.stop_signal, env::stop_signal_of_launcher()})
    if (number != 0) numbers.push_back(number);
  return numbers;
}

bool StopController::look() {
  if (order_ || signals_ == nullptr || signals_->caught() == 0) return false;
  signal_ = signals_->caught();
  const bool beside_model = options_.mode != settings::Mode::dedicated;
  const bool waits = !beside_model || model_asks_.load(std::memory_order_relaxed);
  const double grace = options_.grace_seconds;
  order_ = pipeline::StopOrder{.why = fmt::format("ended by {}", env::name_of_signal(signal_)),
                               .patience = waits ? share_for_clients * grace : 0.0,
                               .most = share_for_commits * grace};
  ordered_at_ = env::steady_seconds();
  return true;
}

void StopController::log() const {
  if (signal_ != 0)
    base::log_warning(
        fmt::format("{}: what is complete is committed, and the servers end within {} s (servers.grace)",
                    env::name_of_signal(signal_), options_.grace_seconds));
}

bool StopController::is_announced() {
  if (announcement_ == nullptr) return false;
  if (announcement_->times() != announcements_) {
    announcements_ = announcement_->times();
    announced_at_ = env::steady_seconds();
  }
  return announced_at_ > 0.0 && env::steady_seconds() < announced_at_ + seconds_announced;
}

bool StopController::adopt(const pipeline::StopOrder* order) {
  if (order_ || order == nullptr) return false;
  order_ = *order;
  ordered_at_ = env::steady_seconds();
  return true;
}

bool StopController::out_of_time(bool idle) const {
  if (!order_) return false;
  return env::steady_seconds() - ordered_at_ >= (idle ? seconds_when_idle : options_.grace_seconds);
}

}  // namespace tailrace::server
