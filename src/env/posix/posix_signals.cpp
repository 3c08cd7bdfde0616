#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "base/index.hpp"
#include "env/signals.hpp"

namespace tailrace::env {
namespace {

constexpr std::size_t most_signals = 65;  // Linux has 64

// A handler gets no argument except the signal's number, so its data are global, by number.
struct Handled {
  bool is_replaced = false;
  struct sigaction before = {};
};
std::atomic<int> caught_signal{0};
std::atomic<bool> taken{false};
std::array<Handled, most_signals> stopping;

std::array<std::atomic<int>, most_signals> counts;
std::array<std::atomic<bool>, most_signals> is_counted;
std::array<struct sigaction, most_signals> before_counting;

static_assert(std::atomic<int>::is_always_lock_free, "a handler must not wait for a lock");

bool is_function(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void pass_on(const struct sigaction& action, int number, siginfo_t* info, void* context) {
  if (!is_function(action)) return;
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(number, info, context);
  else
    action.sa_handler(number);
}

extern "C" void note_stop_signal(int number, siginfo_t* info, void* context) {
  int none = 0;
  caught_signal.compare_exchange_strong(none, number);
  pass_on(stopping[base::index(number)].before, number, info, context);
}

extern "C" void count_signal(int number, siginfo_t* info, void* context) {
  counts[base::index(number)].fetch_add(1);
  pass_on(before_counting[base::index(number)], number, info, context);
}

// The base address of the library or program that contains an address; null: none.
const void* holder_of(const void* address) {
  Dl_info info = {};
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// MPICH handles SIGUSR1, with which its launcher reports processes that died. If MPI is linked statically
// into the program, its handlers cannot be distinguished from the program's.
bool is_of_mpi(const struct sigaction& action) {
  const void* mpi = holder_of(dlsym(RTLD_DEFAULT, "PMPI_Init"));
  return is_function(action) && mpi != nullptr &&
         mpi == holder_of(reinterpret_cast<void*>(action.sa_handler)) &&
         mpi != holder_of(reinterpret_cast<void*>(getauxval(AT_ENTRY)));
}

bool is_ours_to_take(const struct sigaction& action, OwnHandler own) {
  if (is_function(action)) return own == OwnHandler::called_too || is_of_mpi(action);
  return action.sa_handler == SIG_DFL;
}

void handle(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;  // interrupted reads and writes continue
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals(OwnHandler own, const std::vector<int>& numbers) {
  owns_ = !taken.exchange(true);
  if (!owns_) return;
  caught_signal = 0;
  for (const int number : numbers) {
    Handled& handled = stopping[base::index(number)];
    struct sigaction now = {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_sigaction == note_stop_signal)
      continue;  // listed twice, or left by an earlier object
    handled = {.is_replaced = is_ours_to_take(now, own), .before = now};
    if (handled.is_replaced) handle(number, note_stop_signal);
  }
}

StopSignals::~StopSignals() {
  if (!owns_) return;
  for (const int number : {SIGTERM, SIGINT}) {
    Handled& handled = stopping[base::index(number)];
    if (std::exchange(handled.is_replaced, false)) sigaction(number, &handled.before, nullptr);
  }
  taken = false;
}

int StopSignals::caught() const { return caught_signal.load(); }

CountedSignal::CountedSignal(int number) : number_(number) {
  const auto index = base::index(number);
  if (is_counted[index].exchange(true)) return;
  struct sigaction& before = before_counting[index];
  owns_ = sigaction(number, nullptr, &before) == 0 && is_ours_to_take(before, OwnHandler::left_alone);
  if (owns_)
    handle(number, count_signal);
  else
    is_counted[index] = false;
}

CountedSignal::~CountedSignal() {
  if (!owns_) return;
  const auto index = base::index(number_);
  sigaction(number_, &before_counting[index], nullptr);
  is_counted[index] = false;
}

int CountedSignal::times() const { return counts[base::index(number_)].load(); }

CheckpointSignal::CheckpointSignal() : CountedSignal(SIGUSR1) {}
EndAnnouncement::EndAnnouncement() : CountedSignal(SIGCONT) {}

int stop_signal_of_launcher() {
  const char* name = std::getenv("TAILRACE_STOP_SIGNAL");
  return name == nullptr ? 0 : number_of_signal(name);
}

int number_of_signal(const std::string& name) {
  for (int number = 1; number < static_cast<int>(most_signals); ++number)
    if (name == name_of_signal(number)) return number;
  return 0;
}

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
