#include "handshake/failure_detection/failure_detector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/log.hpp"
#include "env/clock.hpp"
#include "handshake/failure_detection/death_listener.hpp"

namespace tailrace::handshake {
namespace {

constexpr double look_seconds = 0.25;
constexpr double seconds_for_own_server = 2.0;
constexpr double seconds_to_find_loss = 2.0;  // its last word may be under way
constexpr double seconds_to_explain = 1.0;
constexpr double patience_with_answers = 1.0;  // seconds of a wait before the server is asked

[[noreturn]] void raise(const base::Fault& fault) { throw Error(fault.code, fault.message); }

}  // namespace

FailureDetector::FailureDetector(Started& started, int own)
    : started_(started),
      own_(own),
      is_first_client_(started.run.assignment.server_of.find(own) ==
                       static_cast<std::size_t>(started.world->rank())),
      failed_servers_(started.run, started.world->rank()) {
  const int rank = started.run.assignment.servers[static_cast<std::size_t>(own)];
  if (rank != started.world->rank() && !failed_servers_.in_sight(own)) pulse_.emplace(*started.world, rank);
  if (started.servers) return;  // those of this process are its server's to watch
  for (LifelineTo& line : started.lifelines.lines) failed_servers_.watch(std::move(line));
  started.lifelines.lines.clear();
}

// By TCP its system says no more; by MPI it may, over another network. Both are silent where a node is lost.
void FailureDetector::judge_silence() {
  if (!pulse_ || failed_servers_.lost(own_) || !failed_servers_.is_silent(own_)) return;
  pulse_->ask();
  if (pulse_->silence() < seconds_of_silence) return;
  failed_servers_.note(own_, node_lost);
  tell_far_servers();
  tell_other_clients();
}

void FailureDetector::look() {
  const double now = env::steady_seconds();
  if (now >= next_look_) tell_if_stopped(now);
  look_at_losses(now);
}

void FailureDetector::tell_if_stopped(double now) {
  const double watchdog = started_.run.servers().watchdog_seconds;
  if (!is_first_client_ || watchdog <= 0) return;
  if (goes_at_ == 0.0 || !failed_servers_.is_stopped(own_)) {
    goes_at_ = now;
    told_stop_ = false;
  } else if (!told_stop_ && now - goes_at_ >= watchdog) {
    told_stop_ = true;
    base::log_warning(fmt::format("{} is stopped by a signal; the model goes on while buffers have room",
                                  failed_servers_.name(own_)));
  }
}

void FailureDetector::look_at_losses(double now) {
  if (now >= next_look_) {
    hear();
    const std::vector<int> ended = failed_servers_.look();
    next_look_ = now + look_seconds;
    hear();  // its last word was under way when its process ended
    if (std::find(ended.begin(), ended.end(), own_) != ended.end()) {
      tell_far_servers();
      tell_other_clients();
    }
    judge_silence();
    if (lost_at_ == 0.0 && failed_servers_.first_other(own_)) lost_at_ = now;
  }
  if (failed_servers_.lost(own_)) raise(failed_servers_.fault(own_));
}

// Those of other nodes see nothing of it, and may have no fellow here. Two are enough: they pass it on.
void FailureDetector::tell_far_servers() {
  const StridedRuns& servers = started_.run.assignment.servers;
  std::vector<int> some;
  for (std::size_t server = 0; server < servers.size() && some.size() < 2; ++server)
    if (!failed_servers_.in_sight(static_cast<int>(server)) &&
        !failed_servers_.lost(static_cast<int>(server)))
      some.push_back(servers[server]);
  const int lost = servers[static_cast<std::size_t>(own_)];
  sendings_ = send_farewell(*started_.world, some, {lost, failed_servers_.why(own_)}, Tag::loss);
}

// Those of other nodes than the server that do not watch it themselves: each one that does has its share.
void FailureDetector::tell_other_clients() {
  const std::vector<int> far = far_clients_of(started_.run, own_);
  const auto here = std::find(far.begin(), far.end(), started_.world->rank());
  if (here == far.end()) return;
  std::vector<int> share;
  for (auto i = static_cast<std::size_t>(here - far.begin()) + most_watching_clients; i < far.size();
       i += most_watching_clients)
    share.push_back(far[i]);
  const int lost = started_.run.assignment.servers[static_cast<std::size_t>(own_)];
  for (Sending& sending :
       send_farewell(*started_.world, share, {lost, failed_servers_.why(own_)}, Tag::abort_notice))
    sendings_.push_back(std::move(sending));
}

void FailureDetector::hear() {
  while (const auto heard = hear_farewell(*started_.world)) {
    const StridedRuns& servers = started_.run.assignment.servers;
    if (const auto server = servers.find(heard->rank))
      failed_servers_.note(static_cast<int>(*server), heard->why);
  }
}

bool FailureDetector::any_lost() {
  failed_servers_.look();
  hear();
  return failed_servers_.count() > 0;
}

void FailureDetector::explain_loss() {
  const double end = env::steady_seconds() + seconds_to_explain;
  for (;;) {
    any_lost();
    if (failed_servers_.lost(own_)) raise(failed_servers_.fault(own_));
    if (env::steady_seconds() >= end) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::optional<std::string> FailureDetector::find_loss() {
  const double end = env::steady_seconds() + seconds_to_find_loss;
  while (!any_lost()) {
    if (env::steady_seconds() >= end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return failed_servers_.how(failed_servers_.lost(own_) ? own_ : *failed_servers_.first_other(own_));
}

void FailureDetector::look_while_waiting(double seconds, const std::string& what) {
  look_at_losses(env::steady_seconds());
  if (const auto gone = minds_ranks_ ? failed_servers_.find_gone_rank(started_.number) : std::nullopt) {
    explain_loss();  // a rank may have gone because a server did, of which this one hears a moment later
    const auto other = failed_servers_.first_other(own_);
    raise(other ? failed_servers_.fault(*other) : *gone);
  }
  if (minds_others_ && lost_at_ > 0.0 && env::steady_seconds() > lost_at_ + seconds_for_own_server)
    raise(failed_servers_.fault(*failed_servers_.first_other(own_)));
  if (pulse_ && seconds >= patience_with_answers) pulse_->ask();
  if (seconds < warned_at_) warned_at_ = 0.0;  // another wait
  const double watchdog = started_.run.servers().watchdog_seconds;
  if (watchdog <= 0 || seconds - warned_at_ < watchdog) return;
  warned_at_ = seconds;
  base::log_warning(fmt::format("rank {} of the run has waited {:.0f} s for {} {}", started_.world->rank(),
                                seconds, whom(), what));
}

std::string FailureDetector::whom() {
  std::string text = failed_servers_.name(own_);
  if (const double silence = pulse_ ? pulse_->silence() : 0.0; silence > patience_with_answers)
    text += fmt::format(", which has not answered for {:.0f} s,", silence);
  if (pulse_ && !failed_servers_.is_watched(own_)) text += ", which cannot be watched by TCP,";
  if (failed_servers_.is_stopped(own_)) text += ", which is stopped by a signal,";
  for (const int server : failed_servers_.stopped_others(own_))
    text += fmt::format(" (while {} is stopped by a signal)", failed_servers_.name(server));
  return text;
}

}  // namespace tailrace::handshake
