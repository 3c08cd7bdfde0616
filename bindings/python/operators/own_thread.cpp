#define PY_SSIZE_T_CLEAN
#include "own_thread.hpp"

#include <Python.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

namespace tailrace::python {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t handler_stack = 64 * 1024;

// The thread that runs the user's Python, one function at a time (turn_). Who asks waits for it, so a pointer
// to the work is enough to hand it over; mutex_ guards that and what became of it. The atomics are what a
// signal handler may read: it decides with them whether a crash is the user's, before it takes any lock. A
// thread that crashed sleeps for ever, and the next call starts another; they never end, since a process may
// not wait for them.
class OwnThread {
 public:
  static OwnThread& instance() {
    static auto* only =
        new OwnThread;  // outlives the process's static objects, for which a thread may not wait
    return *only;
  }

  int run(const std::function<void()>& work) {
    const std::lock_guard turn(turn_);
    std::unique_lock lock(mutex_);
    if (!alive_) start();
    work_ = &work;
    crash_ = 0;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
    return crash_;
  }

  // In a signal handler. Whether the signal was meant for this thread; does not return where it crashed. What
  // a crash interrupts is the user's code, so that this may take locks of its own and Python's.
  bool take(int number, const siginfo_t& info) {
    const bool here = pthread_equal(pthread_self(), id_.load()) != 0;
    const bool sent = info.si_code <= 0;  // by kill() and the like, not by a fault
    if (!working_.load()) return here && sent;
    if (!here) {
      // A process that kills itself, as by os.kill(os.getpid(), ...), may be hit on any thread.
      if (!sent || info.si_pid != getpid()) return false;
      pthread_kill(id_.load(), number);
      return true;
    }
    working_.store(false);
    if (PyGILState_GetThisThreadState() != nullptr && PyGILState_Check() != 0) PyEval_SaveThread();
    {
      const std::lock_guard lock(mutex_);
      alive_ = false;
      crash_ = number;
      work_ = nullptr;
    }
    changed_.notify_all();
    for (;;) pause();
  }

 private:
  // Signals that are not crashes go to other threads.
  void start() {
    watch_for_crashes();
    sigset_t all, before;
    sigfillset(&all);
    for (const int number : crashes) sigdelset(&all, number);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { loop(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    alive_ = true;
  }

  void loop() {
    // A stack for the handler, since the thread's own may be what overflowed; in use as long as the thread.
    std::vector<char> spare(handler_stack);
    stack_t stack{};
    stack.ss_sp = spare.data();
    stack.ss_size = spare.size();
    sigaltstack(&stack, nullptr);
    id_.store(pthread_self());
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return work_ != nullptr; });
      const std::function<void()>& work = *work_;
      lock.unlock();
      working_.store(true);
      work();
      working_.store(false);
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  static void watch_for_crashes();

  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  int crash_ = 0;
  bool alive_ = false;
  std::atomic<bool> working_ = false;
  std::atomic<pthread_t> id_{};
};

std::array<struct sigaction, crashes.size()> before;

// Whoever was asked about such signals before is asked about those that are not ours.
void pass_on(int number, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    if (crashes[i] != number) continue;
    const struct sigaction& other = before[i];
    if ((other.sa_flags & SA_SIGINFO) != 0) return other.sa_sigaction(number, info, context);
    if (other.sa_handler == SIG_IGN) return;
    if (other.sa_handler != SIG_DFL) return other.sa_handler(number);
    sigaction(number, &other, nullptr);
    raise(number);  // comes when this handler returns
  }
}

extern "C" void on_crash(int number, siginfo_t* info, void* context) {
  if (!OwnThread::instance().take(number, *info)) pass_on(number, info, context);
}

void OwnThread::watch_for_crashes() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);  // a thread that crashed is to sleep
    for (std::size_t i = 0; i < crashes.size(); ++i) sigaction(crashes[i], &action, &before[i]);
  });
}

}  // namespace

int run_on_own_thread(const std::function<void()>& work) { return OwnThread::instance().run(work); }

}  // namespace tailrace::python
