#include "handshake/failure_detection/failure_detector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/index.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/death_listener.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {
namespace {

constexpr double check_seconds = 0.25;
constexpr double seconds_for_own_server = 2.0;
constexpr double seconds_to_find_failure = 2.0;  // its abort notice may be in flight
constexpr double seconds_to_explain = 1.0;
constexpr double patience_with_answers = 1.0;  // seconds of a wait before the server is pinged

[[noreturn]] void raise(const base::Fault& fault) { throw Error(fault.code, fault.message); }

}  // namespace

FailureDetector::FailureDetector(Started& started, int own)
    : started_(started),
      own_(own),
      is_first_client_(started.run.assignment.server_of.find(own) ==
                       static_cast<std::size_t>(started.world->rank())),
      failed_servers_(started.run, started.world->rank()) {
  const int rank = started.run.assignment.servers[base::index(own)];
  if (rank != started.world->rank() && !failed_servers_.is_local(own)) ping_.emplace(*started.world, rank);
  if (started.servers) return;  // the server in this process watches them (PeerServers)
  for (LifelineTo& line : started.lifelines.lines) failed_servers_.watch(std::move(line));
  started.lifelines.lines.clear();
}

// A node that is silent by TCP may still answer by MPI, over another network. If both are silent, it is lost.
void FailureDetector::check_silence() {
  if (!ping_ || failed_servers_.has_failed(own_) || !failed_servers_.is_silent(own_)) return;
  ping_->ask();
  if (ping_->silence() < seconds_of_silence) return;
  failed_servers_.mark_failed(own_, node_lost);
  notify_remote_servers();
  notify_other_clients();
}

void FailureDetector::check() {
  const double now = env::steady_seconds();
  if (now >= next_check_) report_if_stopped(now);
  check_failures(now);
}

void FailureDetector::report_if_stopped(double now) {
  const double watchdog = started_.run.servers().watchdog_seconds;
  if (!is_first_client_ || watchdog <= 0) return;
  if (running_at_ == 0.0 || !failed_servers_.is_stopped(own_)) {
    running_at_ = now;
    reported_stop_ = false;
  } else if (!reported_stop_ && now - running_at_ >= watchdog) {
    reported_stop_ = true;
    base::log_warning(
        fmt::format("{} was stopped by a signal; the model continues until the buffers are full",
                    failed_servers_.name(own_)));
  }
}

void FailureDetector::check_failures(double now) {
  if (now >= next_check_) {
    receive_notices();
    const std::vector<int> ended = failed_servers_.check();
    next_check_ = now + check_seconds;
    receive_notices();  // its abort notice may have been in flight when its process ended
    if (std::find(ended.begin(), ended.end(), own_) != ended.end()) {
      notify_remote_servers();
      notify_other_clients();
    }
    check_silence();
    if (other_failed_at_ == 0.0 && failed_servers_.first_failed_other_than(own_)) other_failed_at_ = now;
  }
  if (failed_servers_.has_failed(own_)) raise(failed_servers_.fault(own_));
}

// Servers on other nodes may not detect the failure themselves. Two are enough: they forward the notice.
void FailureDetector::notify_remote_servers() {
  const StridedRuns& servers = started_.run.assignment.servers;
  std::vector<int> some;
  for (std::size_t server = 0; server < servers.size() && some.size() < 2; ++server)
    if (!failed_servers_.is_local(static_cast<int>(server)) &&
        !failed_servers_.has_failed(static_cast<int>(server)))
      some.push_back(servers[server]);
  const int lost = servers[base::index(own_)];
  sendings_ =
      start_abort_notice(*started_.world, some, {lost, failed_servers_.why(own_)}, Tag::server_failed);
}

// Notifies the clients on other nodes that do not watch the server. Each watcher notifies an equal share of
// them.
void FailureDetector::notify_other_clients() {
  const std::vector<int> far = remote_clients_of(started_.run, own_);
  const auto here = std::find(far.begin(), far.end(), started_.world->rank());
  if (here == far.end()) return;
  std::vector<int> share;
  for (auto i = static_cast<std::size_t>(here - far.begin()) + most_watching_clients; i < far.size();
       i += most_watching_clients)
    share.push_back(far[i]);
  const int lost = started_.run.assignment.servers[base::index(own_)];
  for (messaging::Sending& sending :
       start_abort_notice(*started_.world, share, {lost, failed_servers_.why(own_)}, Tag::abort_notice))
    sendings_.push_back(std::move(sending));
}

void FailureDetector::receive_notices() {
  while (const auto notice = receive_abort_notice(*started_.world)) {
    const StridedRuns& servers = started_.run.assignment.servers;
    if (const auto server = servers.find(notice->rank))
      failed_servers_.mark_failed(static_cast<int>(*server), notice->why);
  }
}

bool FailureDetector::any_failed() {
  failed_servers_.check();
  receive_notices();
  return failed_servers_.count() > 0;
}

void FailureDetector::throw_known_failure() {
  const double end = env::steady_seconds() + seconds_to_explain;
  for (;;) {
    any_failed();
    if (failed_servers_.has_failed(own_)) raise(failed_servers_.fault(own_));
    if (env::steady_seconds() >= end) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::optional<std::string> FailureDetector::find_failure() {
  const double end = env::steady_seconds() + seconds_to_find_failure;
  while (!any_failed()) {
    if (env::steady_seconds() >= end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return failed_servers_.describe(
      failed_servers_.has_failed(own_) ? own_ : *failed_servers_.first_failed_other_than(own_));
}

void FailureDetector::check_while_waiting(double seconds, const std::string& what) {
  check_failures(env::steady_seconds());
  if (const auto gone = watches_ranks_ ? failed_servers_.find_dead_rank(started_.number) : std::nullopt) {
    throw_known_failure();  // the rank may have ended because a server failed; that notice is the better
                            // reason
    const auto other = failed_servers_.first_failed_other_than(own_);
    raise(other ? failed_servers_.fault(*other) : *gone);
  }
  if (watches_others_ && other_failed_at_ > 0.0 &&
      env::steady_seconds() > other_failed_at_ + seconds_for_own_server)
    raise(failed_servers_.fault(*failed_servers_.first_failed_other_than(own_)));
  if (ping_ && seconds >= patience_with_answers) ping_->ask();
  if (seconds < warned_at_) warned_at_ = 0.0;  // another wait
  const double watchdog = started_.run.servers().watchdog_seconds;
  if (watchdog <= 0 || seconds - warned_at_ < watchdog) return;
  warned_at_ = seconds;
  base::log_warning(fmt::format("rank {} of the run has waited {:.0f} s for {} {}", started_.world->rank(),
                                seconds, describe_wait(), what));
}

std::string FailureDetector::describe_wait() {
  std::string text = failed_servers_.name(own_);
  if (const double silence = ping_ ? ping_->silence() : 0.0; silence > patience_with_answers)
    text += fmt::format(", which has not answered for {:.0f} s,", silence);
  if (ping_ && !failed_servers_.is_watched(own_)) text += ", which cannot be watched by TCP,";
  if (failed_servers_.is_stopped(own_)) text += ", which is stopped by a signal,";
  for (const int server : failed_servers_.stopped_servers_except(own_))
    text += fmt::format(" (while {} is stopped by a signal)", failed_servers_.name(server));
  return text;
}

}  // namespace tailrace::handshake
