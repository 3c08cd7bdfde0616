#include "session/server_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "env/clock.hpp"

namespace tailrace::session {
namespace {

constexpr double look_seconds = 0.25;
constexpr double seconds_for_own_server = 2.0;

[[noreturn]] void raise(const base::Fault& fault) { throw Error(fault.code, fault.message); }

}  // namespace

ServerWatch::ServerWatch(const handshake::Started& started, int own)
    : started_(started), own_(own), losses_(started.run, started.world->rank()) {}

void ServerWatch::look() {
  const double now = env::steady_seconds();
  if (now >= next_look_) {
    next_look_ = now + look_seconds;
    hear();
    losses_.look();
    hear();  // its last word was under way when its process ended
    if (lost_at_ == 0.0 && losses_.first_other(own_)) lost_at_ = now;
  }
  if (losses_.lost(own_)) raise(losses_.fault(own_));
}

void ServerWatch::hear() {
  while (const auto heard = handshake::hear_farewell(*started_.world)) {
    const std::vector<int>& servers = started_.run.assignment.servers;
    const auto place = std::find(servers.begin(), servers.end(), heard->rank);
    if (place != servers.end())
      losses_.note(static_cast<int>(place - servers.begin()), "it ended with: " + heard->fault.message);
  }
}

bool ServerWatch::any_lost() {
  losses_.look();
  hear();
  return losses_.count() > 0;
}

void ServerWatch::look_while_waiting(double seconds, const std::string& what) {
  look();
  if (lost_at_ > 0.0 && env::steady_seconds() > lost_at_ + seconds_for_own_server)
    raise(losses_.fault(*losses_.first_other(own_)));
  if (seconds < warned_at_) warned_at_ = 0.0;  // another wait
  const double watchdog = started_.run.servers().watchdog_seconds;
  if (watchdog <= 0 || seconds - warned_at_ < watchdog) return;
  warned_at_ = seconds;
  base::log_warning(fmt::format("rank {} of the run has waited {:.0f} s for {} {}", started_.world->rank(),
                                seconds, whom(), what));
}

std::string ServerWatch::whom() const {
  std::string text = losses_.name(own_);
  if (losses_.is_stopped(own_)) text += ", which is stopped by a signal,";
  for (std::size_t server = 0; server < started_.run.assignment.servers.size(); ++server)
    if (static_cast<int>(server) != own_ && losses_.is_stopped(static_cast<int>(server)))
      text += fmt::format(" (while {} is stopped by a signal)", losses_.name(static_cast<int>(server)));
  return text;
}

}  // namespace tailrace::session
