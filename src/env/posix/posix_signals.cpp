#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "env/signals.hpp"

namespace tailrace::env {
namespace {

constexpr std::array<int, 2> stop_signals = {SIGTERM, SIGINT};

// A handler gets no argument but the signal's number, so what it needs can only stand here.
std::atomic<int> caught_signal{0};
std::atomic<bool> taken{false};
std::array<struct sigaction, stop_signals.size()> before;
std::array<bool, stop_signals.size()> replaced;

std::atomic<int> wishes{0};
std::atomic<bool> wishes_taken{false};

static_assert(std::atomic<int>::is_always_lock_free, "a handler must not wait for a lock");

bool is_function(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

extern "C" void note_stop_signal(int number, siginfo_t* info, void* context) {
  int none = 0;
  caught_signal.compare_exchange_strong(none, number);
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    if (stop_signals[i] != number || !is_function(before[i])) continue;
    if ((before[i].sa_flags & SA_SIGINFO) != 0)
      before[i].sa_sigaction(number, info, context);
    else
      before[i].sa_handler(number);
  }
}

extern "C" void note_wish(int) { wishes.fetch_add(1); }

bool is_ours_to_take(const struct sigaction& action, OwnHandler own) {
  if (is_function(action)) return own == OwnHandler::called_too;
  return action.sa_handler == SIG_DFL;
}

}  // namespace

StopSignals::StopSignals(OwnHandler own) {
  owns_ = !taken.exchange(true);
  if (!owns_) return;
  caught_signal = 0;
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    replaced[i] = sigaction(stop_signals[i], nullptr, &before[i]) == 0 && is_ours_to_take(before[i], own);
    if (!replaced[i]) continue;
    struct sigaction action = {};
    action.sa_sigaction = note_stop_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;  // reads and writes under way go on
    sigemptyset(&action.sa_mask);
    sigaction(stop_signals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  if (!owns_) return;
  for (std::size_t i = 0; i < stop_signals.size(); ++i)
    if (replaced[i]) sigaction(stop_signals[i], &before[i], nullptr);
  taken = false;
}

int StopSignals::caught() const { return caught_signal.load(); }

WishSignal::WishSignal() {
  struct sigaction there = {};
  if (wishes_taken.exchange(true)) return;
  owns_ = sigaction(SIGUSR1, nullptr, &there) == 0 && is_ours_to_take(there, OwnHandler::left_alone);
  if (!owns_) {
    wishes_taken = false;
    return;
  }
  struct sigaction action = {};
  action.sa_handler = note_wish;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
}

WishSignal::~WishSignal() {
  if (!owns_) return;
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGUSR1, &action, nullptr);
  wishes_taken = false;
}

int WishSignal::times() const { return wishes.load(); }

std::string name_of_signal(int number) {
  const char* name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

void end_by_signal(int number) {
  if (number == 0) number = SIGTERM;
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  kill(getpid(), number);
  for (;;) pause();
}

}  // namespace tailrace::env
