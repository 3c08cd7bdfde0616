#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "env/signals.hpp"

namespace tailrace::env {
namespace {

constexpr std::array<int, 2> stop_signals = {SIGTERM, SIGINT};

// A handler gets no argument except the signal's number, so its data are global.
std::atomic<int> caught_signal{0};
std::atomic<bool> taken{false};
std::array<struct sigaction, stop_signals.size()> before;
std::array<bool, stop_signals.size()> replaced;

std::atomic<int> wishes{0};
std::atomic<bool> wishes_taken{false};
struct sigaction before_wishes;

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
  for (std::size_t i = 0; i < stop_signals.size(); ++i)
    if (stop_signals[i] == number) pass_on(before[i], number, info, context);
}

extern "C" void note_wish(int number, siginfo_t* info, void* context) {
  wishes.fetch_add(1);
  pass_on(before_wishes, number, info, context);
}

bool is_ours_to_take(const struct sigaction& action, OwnHandler own) {
  if (is_function(action)) return own == OwnHandler::called_too;
  return action.sa_handler == SIG_DFL;
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
    action.sa_flags = SA_SIGINFO | SA_RESTART;  // interrupted reads and writes continue
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

CheckpointSignal::CheckpointSignal() {
  if (wishes_taken.exchange(true)) return;
  owns_ = sigaction(SIGUSR1, nullptr, &before_wishes) == 0 &&
          (is_ours_to_take(before_wishes, OwnHandler::left_alone) || is_of_mpi(before_wishes));
  if (!owns_) {
    wishes_taken = false;
    return;
  }
  struct sigaction action = {};
  action.sa_sigaction = note_wish;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
}

CheckpointSignal::~CheckpointSignal() {
  if (!owns_) return;
  sigaction(SIGUSR1, &before_wishes, nullptr);
  wishes_taken = false;
}

int CheckpointSignal::times() const { return wishes.load(); }

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
